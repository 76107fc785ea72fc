/** `postern tokens create|list|revoke`: API tokens, made beside the server or without it (SPEC 1, 4.4). */
import type { Command } from 'commander';
import type { CommandStore } from '../../app/commands/commands.ts';
import type { ApiToken } from '../../domain/accounts/api-token.ts';
import { unixSeconds } from '../../domain/clock.ts';
import { parseDuration } from '../../domain/duration.ts';
import { ADMIN, VIEWER } from '../../domain/names.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import { alignedRows } from '../aligned-rows.ts';
import { onStore, type StoreFrame } from '../frame.ts';
import { dateText } from '../moment.ts';

type OpenTokens = Pick<CommandStore, 'apiTokens'>;

interface TokenOptions {
  readonly user: string;
  readonly role: string;
  readonly cameras?: string;
  readonly expires?: string;
  readonly manageAccounts?: boolean;
  readonly login?: boolean;
  readonly curtain?: boolean;
}

export function registerTokensCommands(program: Command, frame: StoreFrame<'apiTokens'>): void {
  const tokens = program.command('tokens').description('create and revoke API tokens, for programs that call the API');
  tokens
    .command('create <name>')
    .description('create a token and print it; it is shown only once')
    .option('--user <user>', 'owner of the token; it ends when the account is removed', 'admin')
    .option('--role <role>', "admin, viewer or a custom role, not above the user's own", VIEWER)
    .option('--cameras <cameras>', 'only these cameras, separated by commas; "*" stands for any text')
    .option('--expires <when>', 'after days (90d) or hours (12h), at a date (2030-01-31), or never')
    .option('--manage-accounts', 'the token may change users, passwords, roles and tokens; needs --role admin')
    .option('--login', 'the login takes it in the place of the password: for Home Assistant')
    .option('--curtain', 'the token draws and opens the curtain, and does nothing else; of an admin')
    .action((name: string, options: TokenOptions) =>
      onStore('change', (open) => create(name, options, open, frame), frame),
    );
  tokens
    .command('list')
    .description('print every token, without the secret')
    .action(() => onStore('read', async ({ apiTokens }) => ok(listing(await apiTokens.list())), frame));
  tokens
    .command('revoke <id>')
    .description('end a token, from the next request on')
    .action((id: string) => onStore('change', ({ apiTokens }) => revoke(id, apiTokens), frame));
}

/** The token alone goes to standard output, to be piped; what to do with it goes beside. */
async function create(
  name: string,
  { user, role, cameras, expires, manageAccounts = false, login = false, curtain = false }: TokenOptions,
  { apiTokens }: OpenTokens,
  { place, stderr }: StoreFrame<'apiTokens'>,
): Promise<Result<string, string>> {
  const expiresAt =
    expires === undefined
      ? ok(undefined)
      : expires === 'never'
        ? ok(null)
        : parseExpiry(expires, unixSeconds(place().clock));
  if (!expiresAt.ok) return expiresAt;
  const list = cameras?.split(',').map((camera) => camera.trim());
  const rights = { cameras: list, expiresAt: expiresAt.value, managesAccounts: manageAccounts, logsIn: login };
  // It has the curtain by the role of its owner, and the default role is another.
  const forCurtain = { role: curtain ? ADMIN : role, rights: curtain ? ['curtain'] : undefined };
  const made = await apiTokens.create({ name, user, ...rights, ...forCurtain });
  if (!made.ok) return err(made.error.message);
  stderr.write('Save this token now: it is shown only once. Send it as "Authorization: Bearer <token>".\n');
  if (login) stderr.write(`Or log in as ${user} with the token as the password, in Home Assistant for example.\n`);
  return ok(made.value.text);
}

/** `90d`, `12h`, or a date or time that says where it is valid. */
export function parseExpiry(text: string, now: number): Result<number, string> {
  // A plain number would be taken for days by the eye, and for seconds by the rule.
  const seconds = /[a-z]$/.test(text) ? parseDuration(text) : undefined;
  if (seconds !== undefined) return ok(now + seconds);
  const at = /^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d))?$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at)
    ? err(`${JSON.stringify(text)} is not a time: write 90d, 12h, 2030-01-31 or 2030-01-31T12:00:00Z`)
    : ok(Math.floor(at / 1000));
}

async function revoke(id: string, apiTokens: OpenTokens['apiTokens']): Promise<Result<string, string>> {
  const outcome = await apiTokens.revoke(id);
  if (outcome === 'deleted') return ok(`The token ${id} is revoked.`);
  return err(`There is no token ${id}: "postern tokens list" shows all`);
}

function listing(tokens: readonly ApiToken[]): string {
  if (tokens.length === 0) return 'There are no tokens yet: "postern tokens create <name>" creates one.';
  return alignedRows([
    ['ID', 'NAME', 'USER', 'ROLE', 'CAMERAS', 'EXPIRES', 'LAST USED'],
    ...tokens.map((token) => [
      token.id,
      token.name,
      token.user,
      roleOf(token),
      token.isForCurtain ? 'none' : (token.cameras?.join(',') ?? 'all of the role'),
      token.expiresAt === null ? 'never' : dateText(token.expiresAt),
      token.lastUsedAt === null ? 'never' : `${dateText(token.lastUsedAt)} from ${token.lastUsedFrom}`,
    ]),
  ]);
}

const roleOf = ({ role, managesAccounts, logsIn, isForCurtain }: ApiToken): string =>
  isForCurtain ? 'curtain' : [role, ...(managesAccounts ? ['accounts'] : []), ...(logsIn ? ['login'] : [])].join(', ');
