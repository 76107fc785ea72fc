/** `postern users list|add|password|invite|reset-link|role|delete|import`: account work beside the server or without it (SPEC 1). */
import type { CLOSED_GUEST, MADE_INVITATION, USER } from '../../accounts/http/answers.ts';
import {
  type CommandGroup,
  calls,
  commandTime,
  type Frame,
  type Given,
  table,
} from '../../accounts/http/route-commands.ts';
import type { AnswerOf, CommandStore } from '../../app/commands/commands.ts';
import type { ImportedUser } from '../../domain/accounts/account.ts';
import { OWN_SOURCE } from '../../domain/accounts/sign-in.ts';
import { orEnd } from '../../domain/command-frame.ts';
import { momentText, parseMoment } from '../../domain/moment.ts';
import { VIEWER } from '../../domain/names.ts';

type User = AnswerOf<typeof USER>;

const VALID_FROM = 'from when the account may be used: 2026-12-24 18:00 (local time), +2h, +7d, or Unix seconds';
const VALID_UNTIL = 'until when the account may be used, likewise';
const ENDS = [
  ['--valid-from <time>', VALID_FROM],
  ['--valid-until <time>', VALID_UNTIL],
] as const;

// biome-ignore format: a table
export const USERS: CommandGroup<CommandStore> = {
  name: 'users',
  about: 'list and change user accounts',
  groups: { 'second-factor': 'second factors of a user', 'sign-ins': 'sign-ins by identity providers' },
  commands: [
    { words: 'list', use: 'read', run: listed,
      about: 'print every user with the role, who gives it, the sign-ins, and whether a second factor is set up; then the closed guests of providers' },
    { words: 'add <name>', options: [['--role <role>', 'admin, viewer or a custom role', VIEWER], ...ENDS],
      about: 'create a user; the password is asked for, or read from standard input',
      ...calls('POST /api/users', { use: 'create', body: newUser, say: (_, { name, role }) => `Added ${name} with the role ${role}.` }) },
    { words: 'validity <name>', options: [['--from <time>', `${VALID_FROM}, or never for no beginning`], ['--until <time>', `${VALID_UNTIL}, or never for no end`]],
      about: 'change from when and until when a guest may use the account',
      ...calls('PUT /api/users/{user}/validity', { body: ({ from, until }, frame) => validity(from, until, frame), say: (_, { name }) => `The validity of ${name} is changed.` }) },
    { words: 'password <name>',
      about: "change a user's password and end the user's sessions; the password is asked for, or read from standard input",
      ...calls('PUT /api/users/{user}/password', { body: ({ name }, frame) => password(name, frame), say: (_, { name }) => `The password of ${name} is changed. All sessions of the user have ended.` }) },
    { words: 'invite <name>', use: 'create', run: invite, options: [['--role <role>', 'admin, viewer or a custom role (default: viewer)'], ...ENDS],
      about: 'make a user, and print a link, good once, by which the user sets the own password; without options also for a user who is there' },
    { words: 'reset-link <name>', use: 'change', run: (open, given: Given, frame, args) => RESET_LINK.run(open, given, frame, args),
      about: 'print a link, good once, by which a user who is there sets a new password; second factors stay' },
    { words: 'role <name> <role>',
      about: "change a user's role, from the next request on",
      ...calls('PUT /api/users/{user}/role', { body: ({ role }) => ({ role }), say: (_, { name, role }) => `${name} has the role ${role} now.` }) },
    { words: 'delete <name>',
      about: 'remove a user and end all sessions of the user',
      ...calls('DELETE /api/users/{user}', { say: (_, { name }) => `${name} is removed. All sessions of the user have ended.` }) },
    { words: 'second-factor reset <name>',
      about: 'remove them, and the recovery codes, of a user who has lost the phone; open sessions end',
      ...calls('DELETE /api/users/{user}/second-factor', { say: (_, { name }) => `${name} logs in with the password alone now; open sessions are over.` }) },
    { words: 'sign-ins forget <provider> <subject>', use: 'change', run: forgetGuest,
      about: 'open a closed guest, whose account is gone: the next login by the provider makes an account again; "users list" shows them' },
    { words: 'sign-ins remove <name> <provider>', use: 'change', run: removeSignIn,
      about: 'disconnect an account from a provider; a role that the provider gave stays, and is changed here from then on' },
    { words: 'import <file>', use: 'create', run: importFrom, options: [
        ['--config <file>', "the NVR's configuration, for auth.roles; otherwise config.yml beside the file"],
        ['--unknown-role <role>', 'the role of users whose role is unknown; otherwise they see no camera'],
      ],
      about: "import the users of an NVR's SQLite file, with their passwords; users that exist here are kept" },
  ],
};

async function listed({ ask }: Pick<CommandStore, 'ask'>): Promise<string> {
  const users = table(await ask<User[]>('GET /api/users'), NO_USERS, [
    ['', ({ username }) => username],
    ['', (user) => [...detailsOf(user)].join('  ')],
  ]);
  const closed = await ask<AnswerOf<typeof CLOSED_GUEST>[]>('GET /api/closed-guests');
  const lines = closed.map(
    ({ provider, subject, known_until }) =>
      `closed guest of ${provider}: ${JSON.stringify(subject)}  known until ${momentText(known_until)}`,
  );
  return [users, ...lines].join('\n');
}

async function newUser({ name, role, validFrom, validUntil }: Given, frame: Frame) {
  const ends = validity(validFrom, validUntil, frame);
  return { username: name, role, ...ends, ...(await password(name, frame)) };
}

/** Makes the user; without options the link is also for a user who is there. */
async function invite(open: Pick<CommandStore, 'ask'>, given: Given, frame: Frame, args: readonly string[]) {
  const { name, role, validFrom, validUntil } = given;
  const isPlain = role === undefined && validFrom === undefined && validUntil === undefined;
  const users = isPlain ? await open.ask<User[]>('GET /api/users') : [];
  if (users.some(({ username }) => username === name)) return RESET_LINK.run(open, given, frame, args);
  return INVITATION.run(open, { ...given, role: role ?? VIEWER }, frame, args);
}

type Changes = Pick<CommandStore, 'services' | 'recorded'>;

async function forgetGuest({ services, recorded }: Changes, { provider = '', subject = '' }: Given): Promise<string> {
  await recorded({ what: 'guest-forgotten', provider }, services.signIns.forget(provider, subject));
  return `The guest of ${provider} is forgotten, and may sign in as anybody else.`;
}

async function removeSignIn({ services, recorded }: Changes, { name: user = '', provider = '' }: Given) {
  await recorded({ what: 'sign-in-removed', user, provider }, services.signIns.remove(user, provider));
  return `${user} does not sign in by ${provider} any more; open sessions go on.`;
}

/** What is not given stays out, so that it stays as it is. */
function validity(from: string | undefined, until: string | undefined, frame: Frame) {
  const [valid_from, valid_until] = [parseMoment(from, commandTime(frame)), parseMoment(until, commandTime(frame))];
  return { ...(valid_from !== undefined && { valid_from }), ...(valid_until !== undefined && { valid_until }) };
}

const password = async (name = '', frame: Frame) => ({
  password: await (await import('../../accounts/passwords/read-password.ts')).readNewPassword(frame, name),
});

/** The link alone goes to standard output, to be piped; what to know of it goes beside. */
const link = (body?: (given: Given, frame: Frame) => object) =>
  calls<AnswerOf<typeof MADE_INVITATION>>('POST /api/users/{user}/invitation', {
    ...(body && { body }),
    say: ({ url, expires_at, note }, { name }, { stderr }) => {
      const until = momentText(expires_at);
      stderr.write(`Give this link to ${name} alone: it is shown this once, good once, and until ${until}.\n`);
      if (note) stderr.write('server.public_url is not set: put the address of this service in front of the path.\n');
      return url;
    },
  });
const RESET_LINK = link();
const INVITATION = link(({ role, validFrom, validUntil }, frame) => ({
  role,
  ...validity(validFrom, validUntil, frame),
}));

/** Imports users from an NVR's own SQLite file. */
export async function importFrom(
  { store, services, record }: Pick<CommandStore, 'store' | 'services' | 'record'>,
  { file = '', config, unknownRole }: Given,
): Promise<string> {
  const { importUsers } = await import('../../accounts/users/import-users.ts');
  const { readNvrRoles } = await import('../../config/nvr-roles.ts');
  const { readNvrUsers } = await import('../../store/nvr-database.ts');
  const { file: found, roles: ofNvr } = readNvrRoles(file, config);
  const { clock, roles, settings } = services;
  const makeRole = async (role: string, cameras: readonly string[]): Promise<void> => {
    await services.customRoles.change(new Map([[role, { cameras, mayBeEmpty: true }]]));
    record({ what: 'custom-role-changed', role });
  };
  const parts = { store: store.accounts, clock, roles, makeRole, iterations: settings.auth.hash_iterations };
  const imported = orEnd(await importUsers(await readNvrUsers(file), { roles: ofNvr, unknownRole }, parts));
  for (const { kind, name } of imported) if (kind === 'added') record({ what: 'user-created', user: name });
  return importReport(file, found, imported);
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

const NO_USERS = 'There are no users yet: the first start of the server creates the admin.';

function* detailsOf({ role, role_source, sign_ins, second_factor, valid_from, valid_until }: User): Generator<string> {
  yield role_source === OWN_SOURCE ? role : `${role} (by ${role_source})`;
  if (sign_ins) yield `signs in by ${sign_ins.join(', ')}`;
  if (second_factor) yield 'second factor';
  if (valid_from !== undefined) yield `from ${momentText(valid_from)}`;
  if (valid_until !== undefined) yield `until ${momentText(valid_until)}`;
}
