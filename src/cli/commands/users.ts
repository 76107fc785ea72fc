/** `postern users list|add|password|invite|reset-link|role|delete|import`: account work beside the server or without it (SPEC 1). */
import type { Command } from 'commander';
import type { ListedUser } from '../../accounts/users/users.ts';
import type { GivenValidity } from '../../accounts/users/validity.ts';
import type { CommandStore, StoreUse } from '../../app/commands/commands.ts';
import type { ImportedUser } from '../../domain/accounts/account.ts';
import type { ClosedSignIn } from '../../domain/accounts/sign-in.ts';
import { unixSeconds } from '../../domain/clock.ts';
import { VIEWER } from '../../domain/names.ts';
import type { Result } from '../../domain/result.ts';
import { onStore, type StoreFrame } from '../frame.ts';
import { momentText, parseMoment } from '../moment.ts';
import type { Terminal } from '../read-password.ts';

type Accounts = CommandStore['users'];
type CommandOutcome = Promise<Result<unknown, { readonly message: string }>>;

export function registerUsersCommands(program: Command, frame: StoreFrame<'users'>): void {
  const users = program.command('users').description('list and change user accounts');
  const run = (use: StoreUse, work: (users: Accounts) => Promise<Result<string, string>>) =>
    onStore(use, (open) => work(open.users), frame);
  users
    .command('list')
    .description(
      'print every user with the role, who gives it, the sign-ins, and whether a second factor is set up; then the closed guests of providers',
    )
    .action(() =>
      run('read', async (accounts) => {
        const users = listing(await accounts.list(), await accounts.signIns());
        const closed = (await accounts.closedGuests()).map(closedText);
        return { ok: true, value: [users, ...closed].join('\n') };
      }),
    );
  users
    .command('add <name>')
    .description('create a user; the password is asked for, or read from standard input')
    .option('--role <role>', 'admin, viewer or a custom role', VIEWER)
    .option('--valid-from <time>', VALID_FROM)
    .option('--valid-until <time>', VALID_UNTIL)
    .action((name: string, { role, ...ends }: Ends & { role: string }) =>
      run('create', (accounts) =>
        withValidity(ends, frame, (validity) =>
          withPassword(frame, name, (password) =>
            said(accounts.add({ name, password, role, validity }), `Added ${name} with the role ${role}.`),
          ),
        ),
      ),
    );
  users
    .command('validity <name>')
    .description('change from when and until when a guest may use the account')
    .option('--from <time>', `${VALID_FROM}, or never for no beginning`)
    .option('--until <time>', `${VALID_UNTIL}, or never for no end`)
    .action((name: string, { from, until }: { from?: string; until?: string }) =>
      run('change', (accounts) =>
        withValidity({ validFrom: from, validUntil: until }, frame, (validity) =>
          said(accounts.setValidity(name, validity), `The validity of ${name} is changed.`),
        ),
      ),
    );
  users
    .command('password <name>')
    .description(
      "change a user's password and end the user's sessions; the password is asked for, or read from standard input",
    )
    .action((name: string) =>
      run('change', (accounts) =>
        withPassword(frame, name, (password) =>
          said(
            accounts.setPassword(name, password),
            `The password of ${name} is changed. All sessions of the user have ended.`,
          ),
        ),
      ),
    );
  users
    .command('invite <name>')
    .description(
      'make a user, and print a link, good once, by which the user sets the own password; without options also for a user who is there',
    )
    .option('--role <role>', 'admin, viewer or a custom role (default: viewer)')
    .option('--valid-from <time>', VALID_FROM)
    .option('--valid-until <time>', VALID_UNTIL)
    .action((name: string, { role, ...ends }: Ends & { role?: string }) =>
      run('create', async (accounts) => {
        const isPlain = role === undefined && ends.validFrom === undefined && ends.validUntil === undefined;
        const isThere = isPlain && (await accounts.list()).some((user) => user.name === name);
        if (isThere) return link(accounts, frame, name);
        return withValidity(ends, frame, (validity) => link(accounts, frame, name, { role: role ?? VIEWER, validity }));
      }),
    );
  users
    .command('reset-link <name>')
    .description('print a link, good once, by which a user who is there sets a new password; second factors stay')
    .action((name: string) => run('change', (accounts) => link(accounts, frame, name)));
  users
    .command('role <name> <role>')
    .description("change a user's role, from the next request on")
    .action((name: string, role: string) =>
      run('change', (accounts) => said(accounts.setRole(name, role), `${name} has the role ${role} now.`)),
    );
  users
    .command('delete <name>')
    .description('remove a user and end all sessions of the user')
    .action((name: string) =>
      run('change', (accounts) =>
        said(accounts.remove(name), `${name} is removed. All sessions of the user have ended.`),
      ),
    );
  users
    .command('second-factor')
    .description('second factors of a user')
    .command('reset <name>')
    .description('remove them, and the recovery codes, of a user who has lost the phone; open sessions end')
    .action((name: string) =>
      run('change', (accounts) =>
        said(accounts.resetFactors(name), `${name} logs in with the password alone now; open sessions are over.`),
      ),
    );
  const signIns = users.command('sign-ins').description('sign-ins by identity providers');
  signIns
    .command('forget <provider> <subject>')
    .description(
      'open a closed guest, whose account is gone: the next login by the provider makes an account again; "users list" shows them',
    )
    .action((provider: string, subject: string) =>
      run('change', (accounts) =>
        said(
          accounts.forgetGuest(provider, subject),
          `The guest of ${provider} is forgotten, and may sign in as anybody else.`,
        ),
      ),
    );
  signIns
    .command('remove <name> <provider>')
    .description(
      'disconnect an account from a provider; a role that the provider gave stays, and is changed here from then on',
    )
    .action((name: string, provider: string) =>
      run('change', (accounts) =>
        said(
          accounts.removeSignIn(name, provider),
          `${name} does not sign in by ${provider} any more; open sessions go on.`,
        ),
      ),
    );
  users
    .command('import <file>')
    .description("import the users of an NVR's SQLite file, with their passwords; users that exist here are kept")
    .option('--config <file>', "the NVR's configuration, for auth.roles; otherwise config.yml beside the file")
    .option('--unknown-role <role>', 'the role of users whose role is unknown; otherwise they see no camera')
    .action((file: string, options: { config?: string; unknownRole?: string }) =>
      run('create', async (accounts) => {
        const { config, users: imported } = await accounts.importFrom(file, options);
        return importReport(file, config, imported);
      }),
    );
}

const VALID_FROM = 'from when the account may be used: 2026-12-24 18:00 (local time), +2h, +7d, or Unix seconds';
const VALID_UNTIL = 'until when the account may be used, likewise';

interface Ends {
  readonly validFrom?: string | undefined;
  readonly validUntil?: string | undefined;
}

async function withValidity(
  { validFrom, validUntil }: Ends,
  { place }: StoreFrame<'users'>,
  work: (validity: GivenValidity) => Promise<Result<string, string>>,
): Promise<Result<string, string>> {
  const seconds = unixSeconds(place().clock);
  const from = parseMoment(validFrom, seconds);
  const until = parseMoment(validUntil, seconds);
  if (!from.ok) return from;
  if (!until.ok) return until;
  return work({
    ...(from.value !== undefined && { validFrom: from.value }),
    ...(until.value !== undefined && { validUntil: until.value }),
  });
}

async function withPassword(
  terminal: Terminal,
  name: string,
  work: (password: string) => Promise<Result<string, string>>,
): Promise<Result<string, string>> {
  const { readNewPassword } = await import('../read-password.ts');
  const password = await readNewPassword(terminal, name);
  return password.ok ? work(password.value) : password;
}

/** The link alone goes to standard output, to be piped; what to know of it goes beside. */
async function link(
  accounts: Accounts,
  { stderr }: StoreFrame<'users'>,
  name: string,
  { role, validity }: { readonly role?: string; readonly validity?: GivenValidity } = {},
): Promise<Result<string, string>> {
  const made = await accounts.invite(name, role, validity);
  if (!made.ok) return { ok: false, error: made.error.message };
  const { url, isWhole, expiresAt } = made.value;
  const until = momentText(expiresAt);
  stderr.write(`Give this link to ${name} alone: it is shown this once, good once, and until ${until}.\n`);
  if (!isWhole) stderr.write('server.public_url is not set: put the address of this service in front of the path.\n');
  return { ok: true, value: url };
}

async function said(outcome: CommandOutcome, sentence: string): Promise<Result<string, string>> {
  const settled = await outcome;
  return settled.ok ? { ok: true, value: sentence } : { ok: false, error: settled.error.message };
}

/** A file without users is no failure; a file whose users are all refused is. */
function importReport(
  file: string,
  config: string | undefined,
  imported: readonly ImportedUser[],
): Result<string, string> {
  const count = (kind: ImportedUser['kind']): number => imported.filter((user) => user.kind === kind).length;
  const total = `${file}: ${imported.length} read, ${count('added')} added, ${count('kept')} kept, ${count('refused')} refused`;
  const report = [...imported.map(importLine), rolesLine(config), total].join('\n');
  const isFailure = imported.length > 0 && count('refused') === imported.length;
  return isFailure ? { ok: false, error: report } : { ok: true, value: report };
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

function listing(users: readonly ListedUser[], signIns: ReadonlyMap<string, readonly string[]>): string {
  if (users.length === 0) return 'There are no users yet: the first start of the server creates the admin.';
  const width = Math.max(...users.map(({ name }) => name.length));
  return users
    .map(
      (user) =>
        `${user.name.padEnd(width)}  ${roleText(user)}${signInText(signIns.get(user.name))}${user.hasFactor ? '  second factor' : ''}${guestText(user)}`,
    )
    .join('\n');
}

const closedText = ({ provider, subject, knownUntil }: ClosedSignIn): string =>
  `closed guest of ${provider}: ${JSON.stringify(subject)}  known until ${momentText(knownUntil)}`;

const roleText = ({ role, roleSource }: ListedUser): string =>
  roleSource === undefined ? role : `${role} (by ${roleSource})`;

const signInText = (providers: readonly string[] = []): string =>
  providers.length === 0 ? '' : `  signs in by ${providers.join(', ')}`;

function guestText({ validFrom, validUntil }: ListedUser): string {
  const from = validFrom === undefined ? '' : `  from ${momentText(validFrom)}`;
  return validUntil === undefined ? from : `${from}  until ${momentText(validUntil)}`;
}
