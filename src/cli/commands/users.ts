/** `postern users list|add|password|invite|reset-link|role|delete|import`: account work beside the server or without it (SPEC 1). */
import type { Command } from 'commander';
import type { CLOSED_GUEST, USER } from '../../accounts/http/answers.ts';
import type { GivenValidity } from '../../accounts/users/validity.ts';
import type { AnswerOf, CommandStore } from '../../app/commands/commands.ts';
import type { ImportedUser } from '../../domain/accounts/account.ts';
import { OWN_SOURCE } from '../../domain/accounts/sign-in.ts';
import { unixSeconds } from '../../domain/clock.ts';
import { orEnd } from '../../domain/command-frame.ts';
import { VIEWER } from '../../domain/names.ts';
import { type Frame, register, type StoreCommand, type StoreFrame } from '../frame.ts';
import { momentText, parseMoment } from '../moment.ts';

type Parts = 'ask' | 'users';
type Open = Pick<CommandStore, Parts>;
type User = AnswerOf<typeof USER>;
type ClosedGuest = AnswerOf<typeof CLOSED_GUEST>;

interface Named {
  readonly name: string;
}
interface Ends {
  readonly validFrom?: string | undefined;
  readonly validUntil?: string | undefined;
}
interface GivenRole extends Named, Ends {
  readonly role?: string;
}

const VALID_FROM = 'from when the account may be used: 2026-12-24 18:00 (local time), +2h, +7d, or Unix seconds';
const VALID_UNTIL = 'until when the account may be used, likewise';
const ENDS = [
  ['--valid-from <time>', VALID_FROM],
  ['--valid-until <time>', VALID_UNTIL],
] as const;

const row = <Given>(command: StoreCommand<Given, Parts>) => command as StoreCommand<never, Parts>;

export const registerUsersCommands = (program: Command, frame: StoreFrame<Parts>): void =>
  register(program, frame, ['users', 'list and change user accounts'], USERS, {
    'second-factor': 'second factors of a user',
    'sign-ins': 'sign-ins by identity providers',
  });

const USERS = [
  row({
    words: 'list',
    about:
      'print every user with the role, who gives it, the sign-ins, and whether a second factor is set up; then the closed guests of providers',
    use: 'read',
    run: async ({ ask }) => {
      const users = listing(await ask<User[]>('GET /api/users'));
      return [users, ...(await ask<ClosedGuest[]>('GET /api/closed-guests')).map(closedText)].join('\n');
    },
  }),
  row<GivenRole & { readonly role: string }>({
    words: 'add <name>',
    about: 'create a user; the password is asked for, or read from standard input',
    options: [['--role <role>', 'admin, viewer or a custom role', VIEWER], ...ENDS],
    use: 'create',
    run: async ({ ask }, { name: username, role, ...ends }, frame) => {
      const validity = validityIn(ends, frame);
      const password = await passwordOf(username, frame);
      await ask('POST /api/users', { body: { username, password, role, ...validity } });
      return `Added ${username} with the role ${role}.`;
    },
  }),
  row<Named & { readonly from?: string; readonly until?: string }>({
    words: 'validity <name>',
    about: 'change from when and until when a guest may use the account',
    options: [
      ['--from <time>', `${VALID_FROM}, or never for no beginning`],
      ['--until <time>', `${VALID_UNTIL}, or never for no end`],
    ],
    use: 'change',
    run: async ({ ask }, { name, from, until }, frame) => {
      const body = validityIn({ validFrom: from, validUntil: until }, frame);
      await ask('PUT /api/users/{user}/validity', { params: { user: name }, body });
      return `The validity of ${name} is changed.`;
    },
  }),
  row<Named>({
    words: 'password <name>',
    about:
      "change a user's password and end the user's sessions; the password is asked for, or read from standard input",
    use: 'change',
    run: async ({ ask }, { name }, frame) => {
      const password = await passwordOf(name, frame);
      await ask('PUT /api/users/{user}/password', { params: { user: name }, body: { password } });
      return `The password of ${name} is changed. All sessions of the user have ended.`;
    },
  }),
  row<GivenRole>({
    words: 'invite <name>',
    about:
      'make a user, and print a link, good once, by which the user sets the own password; without options also for a user who is there',
    options: [['--role <role>', 'admin, viewer or a custom role (default: viewer)'], ...ENDS],
    use: 'create',
    run: async (open, { name, role, ...ends }, frame) => {
      const isPlain = role === undefined && ends.validFrom === undefined && ends.validUntil === undefined;
      const isThere = isPlain && (await open.ask<User[]>('GET /api/users')).some(({ username }) => username === name);
      if (isThere) return link(open, frame, name);
      const { valid_from: validFrom, valid_until: validUntil } = validityIn(ends, frame);
      const validity = {
        ...(validFrom !== undefined && { validFrom }),
        ...(validUntil !== undefined && { validUntil }),
      };
      return link(open, frame, name, role ?? VIEWER, validity);
    },
  }),
  row<Named>({
    words: 'reset-link <name>',
    about: 'print a link, good once, by which a user who is there sets a new password; second factors stay',
    use: 'change',
    run: (open, { name }, frame) => link(open, frame, name),
  }),
  row<Named & { readonly role: string }>({
    words: 'role <name> <role>',
    about: "change a user's role, from the next request on",
    use: 'change',
    run: async ({ ask }, { name, role }) => {
      await ask('PUT /api/users/{user}/role', { params: { user: name }, body: { role } });
      return `${name} has the role ${role} now.`;
    },
  }),
  row<Named>({
    words: 'delete <name>',
    about: 'remove a user and end all sessions of the user',
    use: 'change',
    run: async ({ ask }, { name }) => {
      await ask('DELETE /api/users/{user}', { params: { user: name } });
      return `${name} is removed. All sessions of the user have ended.`;
    },
  }),
  row<Named>({
    words: 'second-factor reset <name>',
    about: 'remove them, and the recovery codes, of a user who has lost the phone; open sessions end',
    use: 'change',
    run: async ({ users }, { name }) => {
      orEnd(await users.resetFactors(name));
      return `${name} logs in with the password alone now; open sessions are over.`;
    },
  }),
  row<{ readonly provider: string; readonly subject: string }>({
    words: 'sign-ins forget <provider> <subject>',
    about:
      'open a closed guest, whose account is gone: the next login by the provider makes an account again; "users list" shows them',
    use: 'change',
    run: async ({ users }, { provider, subject }) => {
      orEnd(await users.forgetGuest(provider, subject));
      return `The guest of ${provider} is forgotten, and may sign in as anybody else.`;
    },
  }),
  row<Named & { readonly provider: string }>({
    words: 'sign-ins remove <name> <provider>',
    about:
      'disconnect an account from a provider; a role that the provider gave stays, and is changed here from then on',
    use: 'change',
    run: async ({ users }, { name, provider }) => {
      orEnd(await users.removeSignIn(name, provider));
      return `${name} does not sign in by ${provider} any more; open sessions go on.`;
    },
  }),
  row<{ readonly file: string; readonly config?: string; readonly unknownRole?: string }>({
    words: 'import <file>',
    about: "import the users of an NVR's SQLite file, with their passwords; users that exist here are kept",
    options: [
      ['--config <file>', "the NVR's configuration, for auth.roles; otherwise config.yml beside the file"],
      ['--unknown-role <role>', 'the role of users whose role is unknown; otherwise they see no camera'],
    ],
    use: 'create',
    run: async ({ users }, { file, ...options }) => {
      const { config, users: imported } = await users.importFrom(file, options);
      return importReport(file, config, imported);
    },
  }),
];

function validityIn({ validFrom, validUntil }: Ends, { place }: Frame) {
  const seconds = unixSeconds(place().clock);
  return { valid_from: parseMoment(validFrom, seconds), valid_until: parseMoment(validUntil, seconds) };
}

const passwordOf = async (name: string, terminal: Frame): Promise<string> =>
  (await import('../read-password.ts')).readNewPassword(terminal, name);

/** The link alone goes to standard output, to be piped; what to know of it goes beside. */
async function link(
  { users }: Open,
  { stderr }: Frame,
  name: string,
  role?: string,
  validity?: GivenValidity,
): Promise<string> {
  const { url, isWhole, expiresAt } = orEnd(await users.invite(name, role, validity));
  const until = momentText(expiresAt);
  stderr.write(`Give this link to ${name} alone: it is shown this once, good once, and until ${until}.\n`);
  if (!isWhole) stderr.write('server.public_url is not set: put the address of this service in front of the path.\n');
  return url;
}

/** A file without users is no failure; a file whose users are all refused is. */
function importReport(file: string, config: string | undefined, imported: readonly ImportedUser[]): string {
  const count = (kind: ImportedUser['kind']): number => imported.filter((user) => user.kind === kind).length;
  const total = `${file}: ${imported.length} read, ${count('added')} added, ${count('kept')} kept, ${count('refused')} refused`;
  const report = [...imported.map(importLine), rolesLine(config), total].join('\n');
  if (imported.length > 0 && count('refused') === imported.length) throw new Error(report);
  return report;
}

const rolesLine = (config: string | undefined): string =>
  config === undefined
    ? 'the roles of the NVR were not found: name its config.yml with --config, or give the cameras in auth.roles'
    : `the roles of the NVR are from ${config}`;

function importLine(user: ImportedUser): string {
  if (user.kind === 'kept') return `  ${user.name}: exists already, and keeps its role and password`;
  // A name that was refused may hold anything.
  if (user.kind === 'refused') return `  ${JSON.stringify(user.name)}: not added: ${user.reason}`;
  const { name, role, cameras, unknownRole } = user;
  const why =
    unknownRole === undefined ? '' : `, for nothing says what the role ${JSON.stringify(unknownRole)} may see`;
  return `  ${name}: added with the role ${role}, sees ${camerasText(cameras)}${why}`;
}

function camerasText(cameras: readonly string[]): string {
  if (cameras.includes('*')) return 'all cameras';
  return cameras.length === 0 ? 'no camera' : cameras.join(', ');
}

function listing(users: readonly User[]): string {
  if (users.length === 0) return 'There are no users yet: the first start of the server creates the admin.';
  const width = Math.max(...users.map(({ username }) => username.length));
  return users.map((user) => [user.username.padEnd(width), ...detailsOf(user)].join('  ')).join('\n');
}

function* detailsOf({ role, role_source, sign_ins, second_factor, valid_from, valid_until }: User): Generator<string> {
  yield role_source === OWN_SOURCE ? role : `${role} (by ${role_source})`;
  if (sign_ins) yield `signs in by ${sign_ins.join(', ')}`;
  if (second_factor) yield 'second factor';
  if (valid_from !== undefined) yield `from ${momentText(valid_from)}`;
  if (valid_until !== undefined) yield `until ${momentText(valid_until)}`;
}

const closedText = ({ provider, subject, known_until }: ClosedGuest): string =>
  `closed guest of ${provider}: ${JSON.stringify(subject)}  known until ${momentText(known_until)}`;
