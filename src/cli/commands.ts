/** The commands of the core, one table: words, options, the route or the work behind each, and what is printed (SPEC 1). */
import { isIP } from 'node:net';
import type { z } from 'zod';
import type { CLOSED_GUEST, LIMIT, MADE_INVITATION, MADE_TOKEN, ROLE, TOKEN, USER } from '../accounts/http/answers.ts';
import {
  type CommandGroup,
  type CommandStore,
  calls,
  commandTime,
  type Frame,
  type Given,
  lists,
  onStore,
  type StoreUse,
  table,
} from '../accounts/http/route-commands.ts';
import { STORE_COMMANDS } from '../accounts/store/store-commands.ts';
import { parseListenAddress } from '../config/schema/addresses.ts';
import type { BlockKind } from '../domain/accounts/logins.ts';
import { OWN_SOURCE } from '../domain/accounts/sign-in.ts';
import type { ListenAddress } from '../domain/addresses.ts';
import { createProgress } from '../domain/command-frame.ts';
import { endText, momentText, parseExpiry, parseMoment, useText } from '../domain/moment.ts';
import { ADMIN, VIEWER } from '../domain/names.ts';
import type { SampleQuestion } from '../events/sample-events.ts';
import { FEATURES } from '../features/all.ts';
import type { Explanation } from '../gateway/explain/explain.ts';

type UserRow = z.output<typeof USER>;
type LimitRow = z.output<typeof LIMIT>;
type RoleRow = z.output<typeof ROLE>;

/** Loopback, since every client that reaches it is believed. */
const DEFAULT_LISTEN = '127.0.0.1:5001';

function listenAddress(text: string): ListenAddress {
  const address = parseListenAddress(text);
  if (!address.ok) throw new Error(`${address.error}.`);
  return address.value;
}

const EXPLAIN_HELP = `
Examples:
  postern explain --header 'Remote-User: alice' --header 'Remote-Groups: staff,nvr-admins' GET /api/config
  postern explain --user vera GET '/api/events?camera=garage'

The proxy secret is assumed to be correct, unless a --header sets it.
The exit code is 0 when there is a verdict, whatever it is.`;

async function explain(
  { header, json, method = '', user, token, ...asked }: Given & { readonly header: readonly string[] },
  frame: Frame,
): Promise<string> {
  if (user !== undefined && token !== undefined)
    throw new Error('--user and --token exclude each other: give one of them');
  const { formatExplanation } = await import('../gateway/explain/explanation-text.ts');
  const query = new URLSearchParams({
    ...asked,
    ...(user && { user }),
    ...(token && { token }),
    method: method.toUpperCase(),
  });
  for (const line of header) query.append('header', line);
  const { ask, close } = await frame.openToExplain();
  const explanation = await ask<Explanation>('GET /api/explain', { query }).finally(close);
  return json ? JSON.stringify(explanation, null, 2) : formatExplanation(explanation);
}

// biome-ignore format: a table
const SERVICE: CommandGroup = {
  commands: [
    { words: 'serve', isDefault: true, about: 'run the gate: listeners, login, forwarding, and the events backend beside it',
      run: async (_, frame) => (await import('./serve.ts')).runServe(frame) },
    { words: 'backend', about: 'run the events backend alone; it trusts the headers remote-user and remote-role of every client',
      options: [['--listen <host:port>', 'address to listen on; other than loopback only with nvr.auth_secret', listenAddress(DEFAULT_LISTEN), listenAddress]],
      run: async ({ listen }: { readonly listen: ListenAddress }, frame) => (await import('./backend.ts')).runBackend(listen, frame) },
    { words: 'explain <method> <path>', about: 'print how a request would be authorized: headers kept and dropped, groups, rule, role, cameras, verdict',
      args: { method: ['GET, PUT …, or WS for a WebSocket upgrade'], path: ['with its query, such as "/api/events?camera=garage"'] },
      options: [
        ['--user <name>', 'authorize as this account, with the role that it has now'],
        ['--token <token>', 'authorize with this session or API token'],
        ['--header <line>', 'a header that the proxy sends, "Name: value"; may be repeated', [], (line, before: readonly string[]) => [...before, line]],
        ['--peer <address>', 'the address that the request comes from (default: a trusted one)'],
        ['--json', 'print JSON, for programs'],
      ],
      help: EXPLAIN_HELP, run: explain },
  ],
};

const VALID_FROM = 'from when the account may be used: 2026-12-24 18:00 (local time), +2h, +7d, or Unix seconds';
const VALID_UNTIL = 'until when the account may be used, likewise';
const ENDS = [
  ['--valid-from <time>', VALID_FROM],
  ['--valid-until <time>', VALID_UNTIL],
] as const;

// biome-ignore format: a table
const USERS: CommandGroup = {
  name: 'users',
  about: 'list and change user accounts',
  groups: { 'second-factor': 'second factors of a user', 'sign-ins': 'sign-ins by identity providers' },
  commands: [
    { words: 'list', run: (_, frame) => onStore(frame, 'read', listed),
      about: 'print every user with the role, who gives it, the sign-ins, and whether a second factor is set up; then the closed guests of providers' },
    { words: 'add <name>', options: [['--role <role>', 'admin, viewer or a custom role', VIEWER], ...ENDS],
      about: 'create a user; the password is asked for, or read from standard input',
      ...calls('POST /api/users', { use: 'create', body: async ({ name, role, validFrom, validUntil }, frame) => ({ username: name, role, ...validity(validFrom, validUntil, frame), ...(await password(name, frame)) }), say: (_, { name, role }) => `Added ${name} with the role ${role}.` }) },
    { words: 'validity <name>', options: [['--from <time>', `${VALID_FROM}, or never for no beginning`], ['--until <time>', `${VALID_UNTIL}, or never for no end`]],
      about: 'change from when and until when a guest may use the account',
      ...calls('PUT /api/users/{user}/validity', { body: ({ from, until }, frame) => validity(from, until, frame), say: (_, { name }) => `The validity of ${name} is changed.` }) },
    { words: 'password <name>',
      about: "change a user's password and end the user's sessions; the password is asked for, or read from standard input",
      ...calls('PUT /api/users/{user}/password', { body: ({ name }, frame) => password(name, frame), say: (_, { name }) => `The password of ${name} is changed. All sessions of the user have ended.` }) },
    { words: 'invite <name>', run: invite, options: [['--role <role>', 'admin, viewer or a custom role (default: viewer)'], ...ENDS],
      about: 'make a user, and print a link, good once, by which the user sets the own password; without options also for a user who is there' },
    { words: 'reset-link <name>', ...link('change'),
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
    { words: 'sign-ins forget <provider> <subject>',
      about: 'open a closed guest, whose account is gone: the next login by the provider makes an account again; "users list" shows them',
      ...calls('POST /api/closed-guests/forget', { body: ({ provider, subject }) => ({ provider, subject }), say: (_, { provider }) => `The guest of ${provider} is forgotten, and may sign in as anybody else.` }) },
    { words: 'sign-ins remove <name> <provider>',
      about: 'disconnect an account from a provider; a role that the provider gave stays, and is changed here from then on',
      ...calls('DELETE /api/users/{user}/sign-ins/{provider}', { say: (_, { name, provider }) => `${name} does not sign in by ${provider} any more; open sessions go on.` }) },
    { words: 'import <file>', run: (given: Given, frame) => onStore(frame, 'create', async (open) => (await import('../accounts/users/import-users.ts')).importUsers(open, given)), options: [
        ['--config <file>', "the NVR's configuration, for auth.roles; otherwise config.yml beside the file"],
        ['--unknown-role <role>', 'the role of users whose role is unknown; otherwise they see no camera'],
      ],
      about: "import the users of an NVR's SQLite file, with their passwords; users that exist here are kept" },
  ],
};

// biome-ignore format: a table
const ROLES: CommandGroup = {
  name: 'roles',
  about: 'list and change custom roles',
  commands: [
    { words: 'list', about: 'print every role with its cameras, its limits, where it is defined and how many users have it',
      ...lists<RoleRow>('GET /api/roles', '', [
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

type TokenOptions = Readonly<Record<'name' | 'user' | 'role', string>> &
  Readonly<Partial<Record<'cameras' | 'expires', string> & Record<'manageAccounts' | 'login', boolean>>> &
  Readonly<Record<string, unknown>>;

const WITH_RIGHT = FEATURES.filter(({ tokenRight }) => tokenRight);

/** A token has a right by the role of its owner, and the default role is another. */
function rightsGiven(options: Readonly<Record<string, unknown>>, role: string) {
  const rights = WITH_RIGHT.map(({ name }) => name).filter((name) => options[name]);
  return rights.length > 0 ? { role: ADMIN, rights } : { role };
}

// biome-ignore format: a table
const TOKENS: CommandGroup = {
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
        ...WITH_RIGHT.map(({ name, tokenRight }) => [`--${name}`, `the token ${tokenRight}, and does nothing else; of an admin`] as const),
      ],
      ...calls<z.output<typeof MADE_TOKEN>, TokenOptions>('POST /api/tokens', {
        owner: ({ user }) => user,
        body: ({ name, role, cameras, expires, manageAccounts, login, ...more }, frame) => ({
          name,
          ...rightsGiven(more, role),
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
      ...lists<z.output<typeof TOKEN>>('GET /api/tokens', 'There are no tokens yet: "postern tokens create <name>" creates one.', [
        ['ID',        ({ id }) => id],
        ['NAME',      ({ name }) => name],
        ['USER',      ({ user }) => user],
        ['ROLE',      ({ role, manage_accounts, login, rights }) => (rights?.join(', ') ?? [role, ...(manage_accounts ? ['accounts'] : []), ...(login ? ['login'] : [])].join(', '))],
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

// biome-ignore format: a table
const LIMITS: CommandGroup = {
  name: 'limits',
  about: 'list and lift the limits of addresses and accounts that failed to log in',
  commands: [
    { words: 'list', about: 'print who must wait, until when, and the names that were tried',
      ...lists<LimitRow>('GET /api/status/limits', 'No client has to wait at the login.', [['', limitLine]]) },
    { words: 'lift <address>', about: 'let an address, a network, the codes of an account or the PIN of a link be tried again; the server feels it within a second',
      run: ({ address = '' }: Given, frame) => onStore(frame, 'change', (open) => lift(open, address)) },
  ],
};

// biome-ignore format: a table
const EVENTS: CommandGroup = {
  name: 'events',
  about: 'import detection events into the store',
  commands: [
    { words: 'import <file...>', about: 'import events from NDJSON, a JSON array as /api/events answers it, or the SQLite file of an NVR',
      args: { file: ['files to read, in this order; - is standard input'] },
      run: async ({ file }: { readonly file: readonly string[] }, frame) => (await import('../events/import-files.ts')).importFiles(file, frame) },
    { words: 'generate', about: 'store sample events, the same for the same seed and end',
      required: [['--count <number>', 'how many', undefined, wholeNumber], ['--seed <number>', 'where chance begins', undefined, wholeNumber]],
      options: [
        ['--cameras <names>', 'camera names between commas', undefined, cameraNames],
        ['--until <time>', 'when the newest event begins, such as 2030-01-31T12:00:00Z (default: now)', undefined, (text) => parseExpiry(text, Math.floor(Date.now() / 1000))],
      ],
      run: (given: Omit<SampleQuestion, 'until'> & { readonly until?: number }, frame) => onStore(frame, 'create', async ({ store }) => (await import('../events/sample-events.ts')).storeSampleEvents(store, { until: commandTime(frame), ...given }, frame.stderr)) },
  ],
};

// biome-ignore format: a table
const STORE: CommandGroup = {
  name: 'store',
  about: 'work on a whole store',
  commands: [
    { words: 'copy <from> <to>', about: 'copy accounts, roles, tokens, revocations, sessions and events from one store to another, and compare both; each is sqlite:<file>, postgres://…, or @<file> that holds the address',
      options: [['--continue', 'go on with a copy that was interrupted'], ['--replace', 'delete what is in the target first']],
      run: copy },
  ],
};

/** The order is that of the help; the features follow. */
export const COMMANDS: readonly CommandGroup[] = [
  SERVICE,
  USERS,
  ROLES,
  TOKENS,
  LIMITS,
  ...STORE_COMMANDS,
  EVENTS,
  STORE,
];

async function listed({ ask }: Pick<CommandStore, 'ask'>): Promise<string> {
  const users = table(await ask<UserRow[]>('GET /api/users'), NO_USERS, [
    ['', ({ username }) => username],
    ['', (user) => [...detailsOf(user)].join('  ')],
  ]);
  const closed = await ask<z.output<typeof CLOSED_GUEST>[]>('GET /api/closed-guests');
  const lines = closed.map(
    ({ provider, subject, known_until }) =>
      `closed guest of ${provider}: ${JSON.stringify(subject)}  known until ${momentText(known_until)}`,
  );
  return [users, ...lines].join('\n');
}

/** Makes the user; without options the link is also for a user who is there. */
async function invite(given: Given, frame: Frame, args: readonly string[]): Promise<string> {
  const { name, role, validFrom, validUntil } = given;
  const isPlain = role === undefined && validFrom === undefined && validUntil === undefined;
  const users = isPlain ? await onStore(frame, 'create', ({ ask }) => ask<UserRow[]>('GET /api/users')) : [];
  if (users.some(({ username }) => username === name)) return link('create').run(given, frame, args);
  const body = () => ({ role: role ?? VIEWER, ...validity(validFrom, validUntil, frame) });
  return link('create', body).run(given, frame, args);
}

/** What is not given stays out, so that it stays as it is. */
function validity(from: string | undefined, until: string | undefined, frame: Frame) {
  const [valid_from, valid_until] = [parseMoment(from, commandTime(frame)), parseMoment(until, commandTime(frame))];
  return { ...(valid_from !== undefined && { valid_from }), ...(valid_until !== undefined && { valid_until }) };
}

const password = async (name = '', frame: Frame) => {
  const { readSecret } = await import('../accounts/passwords/read-password.ts');
  return { password: await readSecret(frame, { name: 'password', question: `New password of ${name}: ` }) };
};

/** The link alone goes to standard output, to be piped; what to know of it goes beside. */
function link(use: StoreUse, body?: () => object) {
  return calls<z.output<typeof MADE_INVITATION>>('POST /api/users/{user}/invitation', {
    use,
    ...(body && { body }),
    say: ({ url, expires_at, note }, { name }, { stderr }) => {
      const until = momentText(expires_at);
      stderr.write(`Give this link to ${name} alone: it is shown this once, good once, and until ${until}.\n`);
      if (note) stderr.write('server.public_url is not set: put the address of this service in front of the path.\n');
      return url;
    },
  });
}

const NO_USERS = 'There are no users yet: the first start of the server creates the admin.';

function* detailsOf({ role, role_source, sign_ins, second_factor, ...user }: UserRow): Generator<string> {
  yield role_source === OWN_SOURCE ? role : `${role} (by ${role_source})`;
  if (sign_ins) yield `signs in by ${sign_ins.join(', ')}`;
  if (second_factor) yield 'second factor';
  if (user.valid_from !== undefined) yield `from ${momentText(user.valid_from)}`;
  if (user.valid_until !== undefined) yield `until ${momentText(user.valid_until)}`;
}

const split = (text: string | undefined, separator = ','): readonly string[] | undefined =>
  text?.split(separator).map((part) => part.trim());
const limitsOf = ({ deny, hours = [], history_since: since }: RoleRow): string =>
  [deny && `not ${deny.join(',')}`, ...hours, since && `since ${since}`].filter(Boolean).join('; ');

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

async function lift({ ask }: CommandStore, address: string): Promise<string> {
  const { clientKey, networkKey } = await import('../domain/addresses.ts');
  const subjects = isIP(address) === 0 ? [address] : [address, clientKey(address), networkKey(address)];
  const found = (await ask<LimitRow[]>('GET /api/status/limits')).filter(({ subject }) => subjects.includes(subject));
  if (found.length === 0)
    throw new Error(`${JSON.stringify(address)} is not limited: "postern limits list" shows who is`);
  for (const { id } of found) await ask('DELETE /api/status/limits/{id}', { params: { id } });
  return `Lifted: ${found.map(limitName).join(', ')}.`;
}

// biome-ignore format: a table
const NAMED: Readonly<Record<BlockKind, (subject: string) => string>> = {
  address: (subject) => subject,
  network: (subject) => subject,
  codes:   (subject) => `codes of ${subject}`,
  pins:    (subject) => `the PIN of the link ${subject}`,
};
const limitName = ({ kind, subject }: LimitRow): string => NAMED[kind](subject);

function limitLine(limit: LimitRow): string {
  const tried = limit.kind === 'codes' || limit.names.length === 0 ? '' : `  tried ${limit.names.join(', ')}`;
  return `${limitName(limit)}  until ${new Date(limit.until * 1000).toISOString()}${tried}`;
}

function wholeNumber(text: string): number {
  if (!/^\d{1,12}$/.test(text)) throw new Error('Give a whole number.');
  return Number(text);
}

function cameraNames(text: string): string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.includes('')) throw new Error('Give camera names between commas.');
  return names;
}

async function copy({ from = '', to = '', ...given }: Given, { stderr }: Frame): Promise<string> {
  if (given['continue'] && given['replace'])
    throw new Error('--continue and --replace exclude each other: give one of them');
  const mode = given['continue'] ? 'continue' : given['replace'] ? 'replace' : 'refuse';
  const { copyBetween } = await import('../store/copy-store.ts');
  let shown = { table: '', progress: createProgress(stderr, { title: '', total: undefined }) };
  const copied = await copyBetween(from, to, mode, ({ table, done, total }) => {
    if (table !== shown.table) {
      shown.progress.end();
      shown = { table, progress: createProgress(stderr, { title: table, total, unit: 'rows' }) };
    }
    shown.progress.report(done, done);
  }).finally(() => shown.progress.end());
  return copied.map(({ table, rows }) => `${table}: ${rows} rows, the same at both ends`).join('\n');
}
