/** `postern tokens`: API tokens, made and ended beside the server or without it (SPEC 1, 4.4). */
import type { MADE_TOKEN, TOKEN } from '../../accounts/http/answers.ts';
import { type CommandGroup, calls, commandTime, lists } from '../../accounts/http/route-commands.ts';
import type { AnswerOf } from '../../app/commands/commands.ts';
import { endText, parseExpiry, useText } from '../../domain/moment.ts';
import { ADMIN, VIEWER } from '../../domain/names.ts';

interface TokenOptions {
  readonly name: string;
  readonly user: string;
  readonly role: string;
  readonly cameras?: string;
  readonly expires?: string;
  readonly manageAccounts?: boolean;
  readonly login?: boolean;
  readonly curtain?: boolean;
}

// biome-ignore format: a table
export const TOKENS: CommandGroup = {
  name: 'tokens',
  about: 'create and revoke API tokens, for programs that call the API',
  commands: [
    { words: 'create <name>', about: 'create a token and print it; it is shown only once',
      options: [
        ['--user <user>', 'owner of the token; it ends when the account is removed', 'admin'],
        ['--role <role>', "admin, viewer or a custom role, not above the user's own", VIEWER],
        ['--cameras <cameras>', 'only these cameras, separated by commas; "*" stands for any text'],
        ['--expires <when>', 'after days (90d) or hours (12h), at a date (2030-01-31), or never'],
        ['--manage-accounts', 'the token may change users, passwords, roles and tokens; needs --role admin'],
        ['--login', 'the login takes it in the place of the password: for Home Assistant'],
        ['--curtain', 'the token draws and opens the curtain, and does nothing else; of an admin'],
      ],
      ...calls<AnswerOf<typeof MADE_TOKEN>, TokenOptions>('POST /api/tokens', {
        owner: ({ user }) => user,
        body: ({ name, role, cameras, expires, manageAccounts, login, curtain = false }, frame) => ({
          name,
          // It has the curtain by the role of its owner, and the default role is another.
          ...(curtain ? { role: ADMIN, rights: ['curtain'] } : { role }),
          cameras: cameras?.split(',').map((camera) => camera.trim()),
          expires_at: expires === undefined || expires === 'never' ? expires && null : parseExpiry(expires, commandTime(frame)),
          manage_accounts: manageAccounts,
          login,
        }),
        // The token alone goes to standard output, to be piped; what to do with it goes beside.
        say: ({ token }, { login, user }, { stderr }) => {
          stderr.write('Save this token now: it is shown only once. Send it as "Authorization: Bearer <token>".\n');
          if (login) stderr.write(`Or log in as ${user} with the token as the password, in Home Assistant for example.\n`);
          return token;
        },
      }) },
    { words: 'list', about: 'print every token, without the secret',
      ...lists<AnswerOf<typeof TOKEN>>('GET /api/tokens', 'There are no tokens yet: "postern tokens create <name>" creates one.', [
        ['ID',        ({ id }) => id],
        ['NAME',      ({ name }) => name],
        ['USER',      ({ user }) => user],
        ['ROLE',      ({ role, manage_accounts, login, rights }) => (rights ? 'curtain' : [role, ...(manage_accounts ? ['accounts'] : []), ...(login ? ['login'] : [])].join(', '))],
        ['CAMERAS',   ({ rights, cameras }) => (rights ? 'none' : (cameras?.join(',') ?? 'all of the role'))],
        ['EXPIRES',   ({ expires_at }) => endText(expires_at)],
        ['LAST USED', ({ last_used_at, last_used_from }) => useText(last_used_at, last_used_from)],
      ]) },
    { words: 'revoke <id>', about: 'end a token, from the next request on',
      ...calls('DELETE /api/tokens/{id}', {
        absent: ({ id }) => `There is no token ${id}: "postern tokens list" shows all`,
        say: (_, { id }) => `The token ${id} is revoked.` }) },
  ],
};
