/** `postern links`: links made, listed and revoked beside the server or without it (SPEC 1, 13). */
import type { z } from 'zod';
import { type CommandGroup, calls, commandTime, lists } from '../../accounts/http/route-commands.ts';
import { dateText, parseExpiry } from '../../domain/moment.ts';
import type { LINK, MADE_LINK } from './link-routes.ts';

type LinkOptions = Readonly<
  Record<'user' | 'camera', string> &
    Partial<Record<'event' | 'review' | 'from' | 'to' | 'expires' | 'uses' | 'name', string>> &
    Partial<Record<'live' | 'snapshot' | 'pin', boolean>>
>;

// biome-ignore format: a table
export const LINKS: CommandGroup = {
  name: 'links',
  about: 'create and revoke links, which show one thing without an account',
  commands: [
    { words: 'create', about: 'create a link and print its address; it is shown only once',
      required: [
        ['--user <user>', 'the user whose link it is: it shows what this user may see, and ends with the account'],
        ['--camera <camera>', 'the camera that it shows'],
      ],
      options: [
        ['--event <id>', 'an event of that camera'],
        ['--review <id>', 'a review of that camera'],
        ['--live', 'the live picture of that camera'],
        ['--snapshot', 'one picture of that camera, as it is when the link is opened'],
        ['--from <time>', 'a recording from this time on, such as 2030-01-31T12:00:00Z; needs --to'],
        ['--to <time>', 'the end of the recording'],
        ['--expires <when>', 'after days (7d) or hours (12h), or at a date; unset: after a day'],
        ['--uses <count>', 'how many viewers may open it'],
        ['--name <name>', 'shown on its page and in the list'],
        ['--pin', 'its page asks for a PIN, which is read from the terminal, or from the first line of standard input'],
      ],
      ...calls<z.output<typeof MADE_LINK>, LinkOptions>('POST /api/links', {
        owner: ({ user }) => user,
        more: ({ camera }) => ({ camera }),
        body: async ({ pin, expires, uses, name, ...thing }, frame) => {
          const { readSecret } = await import('../../accounts/passwords/read-password.ts');
          const now = commandTime(frame);
          return {
            what: whatOf(thing, now),
            pin: pin ? await readSecret(frame, { name: 'PIN', question: 'PIN of the link: ' }) : undefined,
            expires_in: expires === undefined ? undefined : parseExpiry(expires, now) - now,
            uses: uses === undefined ? undefined : Number(uses),
            name,
          };
        },
        say: ({ url, note }, _, { stderr }) => {
          stderr.write('Save this address now: it is shown only once, and shows the camera to everybody who has it.\n');
          if (note) stderr.write('server.public_url is not set: put the address of the service in front.\n');
          return url;
        },
      }) },
    { words: 'list', about: 'print every link and how often it was opened, without the secret',
      ...lists<z.output<typeof LINK>>('GET /api/links', 'There are no links: "postern links create" creates one.', [
        ['ID',     ({ id }) => id],
        ['WHAT',   ({ what }) => Object.keys(what).join()],
        ['CAMERA', ({ camera }) => camera],
        ['USER',   ({ user }) => user],
        ['ENDS',   ({ state, expires_at }) => (state === 'revoked' ? state : state === 'expired' ? 'ended' : dateText(expires_at))],
        ['OPENED', ({ opened, uses }) => (uses === null ? String(opened) : `${opened} of ${uses}`)],
        ['NAME',   ({ name }) => name ?? ''],
      ]) },
    { words: 'revoke <id>', about: 'end a link, also for who is looking at it',
      ...calls('DELETE /api/links/{id}', {
        absent: ({ id }) => `There is no link ${id} that still works: "postern links list" shows all`,
        say: (_, { id }) => `The link ${id} is revoked.` }) },
  ],
};

const ONE_OF = 'Name one thing: --event, --review, --live, --snapshot, or --from and --to';

function whatOf({ event, review, live, snapshot, from, to, camera }: LinkOptions, now: number): object {
  const named = [event, review, live, snapshot, from].filter((value) => value !== undefined);
  if (named.length !== 1 || (from === undefined) !== (to === undefined)) throw new Error(ONE_OF);
  if (event !== undefined) return { event };
  if (review !== undefined) return { review };
  if (live) return { live: { camera } };
  if (snapshot) return { snapshot: { camera } };
  return { recording: { camera, from: parseExpiry(from ?? '', now), to: parseExpiry(to ?? '', now) } };
}
