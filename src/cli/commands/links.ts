/** `postern links create|list|revoke`: links that show one thing, made beside the server or without it (SPEC 1, 13). */
import type { Command } from 'commander';
import type { CommandStore } from '../../app/commands/commands.ts';
import type { UsedLink } from '../../domain/accounts/link.ts';
import { unixSeconds } from '../../domain/clock.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import { alignedRows } from '../aligned-rows.ts';
import { onStore, type StoreFrame } from '../frame.ts';
import { dateText } from '../moment.ts';
import type { Terminal } from '../read-password.ts';
import { parseExpiry } from './tokens.ts';

type OpenLinks = Pick<CommandStore, 'links'>;

interface LinkOptions {
  readonly user: string;
  readonly event?: string;
  readonly review?: string;
  readonly live?: boolean;
  readonly snapshot?: boolean;
  readonly from?: string;
  readonly to?: string;
  readonly camera?: string;
  readonly expires?: string;
  readonly uses?: string;
  readonly name?: string;
  readonly pin?: boolean;
}

export function registerLinksCommands(program: Command, frame: StoreFrame<'links'>): void {
  const links = program
    .command('links')
    .description('create and revoke links, which show one thing without an account');
  links
    .command('create')
    .description('create a link and print its address; it is shown only once')
    .requiredOption(
      '--user <user>',
      'the user whose link it is: it shows what this user may see, and ends with the account',
    )
    .requiredOption('--camera <camera>', 'the camera that it shows')
    .option('--event <id>', 'an event of that camera')
    .option('--review <id>', 'a review of that camera')
    .option('--live', 'the live picture of that camera')
    .option('--snapshot', 'one picture of that camera, as it is when the link is opened')
    .option('--from <time>', 'a recording from this time on, such as 2030-01-31T12:00:00Z; needs --to')
    .option('--to <time>', 'the end of the recording')
    .option('--expires <when>', 'after days (7d) or hours (12h), or at a date; unset: after a day')
    .option('--uses <count>', 'how many viewers may open it')
    .option('--name <name>', 'shown on its page and in the list')
    .option(
      '--pin',
      'its page asks for a PIN, which is read from the terminal, or from the first line of standard input',
    )
    .action((options: LinkOptions) => onStore('change', (open) => create(options, open, frame), frame));
  links
    .command('list')
    .description('print every link and how often it was opened, without the secret')
    .action(() =>
      onStore(
        'read',
        async ({ links: open }) => ok(listing(await open.list(), unixSeconds(frame.place().clock))),
        frame,
      ),
    );
  links
    .command('revoke <id>')
    .description('end a link, also for who is looking at it')
    .action((id: string) => onStore('change', ({ links: open }) => revoke(id, open), frame));
}

async function create(
  options: LinkOptions,
  { links }: OpenLinks,
  { place, stdin, stderr }: StoreFrame<'links'>,
): Promise<Result<string, string>> {
  const now = unixSeconds(place().clock);
  const what = whatOf(options, now);
  if (!what.ok) return what;
  const pin = options.pin ? await readPin({ stdin, stderr }) : ok(undefined);
  if (!pin.ok) return pin;
  const end = options.expires === undefined ? undefined : parseExpiry(options.expires, now);
  if (end && !end.ok) return end;
  const { user, camera, name } = options;
  const uses = options.uses === undefined ? undefined : Number(options.uses);
  const asked = { user, what: what.value, camera, expiresIn: end && end.value - now, uses, name, pin: pin.value };
  const made = await links.create(asked);
  if (!made.ok) return err(made.error.message);
  const { url, isWhole } = made.value;
  stderr.write('Save this address now: it is shown only once, and shows the camera to everybody who has it.\n');
  if (!isWhole) stderr.write('server.public_url is not set: put the address of the service in front.\n');
  return ok(url);
}

async function readPin(terminal: Terminal): Promise<Result<string, string>> {
  const { readNewPin } = await import('../read-password.ts');
  return readNewPin(terminal);
}

const ONE_OF = 'Name one thing: --event, --review, --live, --snapshot, or --from and --to';

function whatOf({ event, review, live, snapshot, from, to, camera }: LinkOptions, now: number): Result<object, string> {
  const named = [event, review, live, snapshot, from].filter((value) => value !== undefined);
  if (named.length !== 1 || (from === undefined) !== (to === undefined)) return err(ONE_OF);
  if (event !== undefined) return ok({ event });
  if (review !== undefined) return ok({ review });
  if (live) return ok({ live: { camera } });
  if (snapshot) return ok({ snapshot: { camera } });
  const [begin, end] = [parseExpiry(from ?? '', now), parseExpiry(to ?? '', now)];
  if (!begin.ok) return begin;
  return end.ok ? ok({ recording: { camera, from: begin.value, to: end.value } }) : end;
}

async function revoke(id: string, links: OpenLinks['links']): Promise<Result<string, string>> {
  if ((await links.revoke(id)) === 'revoked') return ok(`The link ${id} is revoked.`);
  return err(`There is no link ${id} that still works: "postern links list" shows all`);
}

function listing(links: readonly UsedLink[], now: number): string {
  if (links.length === 0) return 'There are no links: "postern links create" creates one.';
  return alignedRows([
    ['ID', 'WHAT', 'CAMERA', 'USER', 'ENDS', 'OPENED', 'NAME'],
    ...links.map(({ id, thing, maker, revokedAt, expiresAt, opened, uses, name }) => [
      id,
      thing.kind,
      thing.camera,
      maker.user,
      revokedAt !== null ? 'revoked' : expiresAt <= now ? 'ended' : dateText(expiresAt),
      uses === null ? String(opened) : `${opened} of ${uses}`,
      name ?? '',
    ]),
  ]);
}
