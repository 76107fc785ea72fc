/** `postern roles list|set|take-over|delete`: custom roles of the store, beside the server or without it (SPEC 4.3, 8). */
import type { ROLE } from '../../accounts/http/answers.ts';
import { type CommandGroup, calls, type Given, lists } from '../../accounts/http/route-commands.ts';
import type { AnswerOf, CommandStore } from '../../app/commands/commands.ts';

type Role = AnswerOf<typeof ROLE>;

const split = (text: string | undefined, separator = ','): readonly string[] | undefined =>
  text?.split(separator).map((part) => part.trim());
const limitsOf = ({ deny = [], hours = [], history_since: since }: Role): string =>
  [
    ...(deny.length > 0 ? [`not ${deny.join(',')}`] : []),
    ...hours,
    ...(since === undefined ? [] : [`since ${since}`]),
  ].join('; ');

// biome-ignore format: a table
export const ROLES: CommandGroup<CommandStore> = {
  name: 'roles',
  about: 'list and change custom roles',
  commands: [
    { words: 'list', about: 'print every role with its cameras, its limits, where it is defined and how many users have it',
      ...lists<Role>('GET /api/roles', '', [
        ['ROLE',    ({ role }) => role],
        ['CAMERAS', ({ cameras }) => cameras.join(',')],
        ['LIMITS',  (role) => limitsOf(role) || '-'],
        ['FROM',    ({ source, taken_over }) => (taken_over ? 'file, taken over' : source)],
        ['USERS',   ({ users }) => String(users)],
      ]) },
    { words: 'set <role> <cameras>',
      about: 'make a role, or change it; cameras are separated by commas, and "*" stands for any text',
      options: [
        ['--deny <verbs>', 'what the role may not do: live, history, export, ptz, talk; "none" takes the limit away'],
        ['--hours <hours>', 'when it may be used: "Mon-Fri 07:00-18:00; Sat 09:00-12:00"; "none" takes the limit away'],
        ['--history-since <time>', 'how far back it sees: 7d, or grant; "none" takes the limit away'],
      ],
      ...calls<{ readonly message?: string }>('PUT /api/roles/{role}', { use: 'create', body: wanted,
        say: ({ message }, { role }) => `${message ?? `The role ${role} is saved`}. Give it to a user: postern users role NAME ${role}` }) },
    { words: 'take-over <role>',
      about: 'copy a role of the configuration file into the store; then its line can be deleted there',
      ...calls('POST /api/roles/{role}/take-over', { say: (_, { role }) => `The role ${role} is in the store. Until auth.roles.${role} is deleted in the configuration file, the file's counts.` }) },
    { words: 'delete <role>', about: 'remove a role of the store; its users become viewers',
      ...calls('DELETE /api/roles/{role}', { say: (_, { role }) => `The role ${role} is removed.` }) },
  ],
};

function wanted({ cameras, deny, hours, historySince }: Given): object {
  const limit = (text: string | undefined, read: (text: string) => unknown) =>
    text === undefined ? undefined : text === 'none' ? null : read(text);
  return {
    cameras: split(cameras),
    deny: limit(deny, (text) => split(text)),
    hours: limit(hours, (text) => split(text, ';')),
    history_since: limit(historySince, (text) => text),
  };
}
