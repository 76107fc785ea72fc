/** The most expensive things that a caller can do, each again and again. */
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { askInTurns } from '../../src/domain/async.ts';
import { VERA } from '../../test/support/people.ts';
import { getRequest, openConnection } from '../kept-connection.ts';
import { type StartedPostern, startIn } from '../start-postern.ts';
import { openWebSocket } from '../websocket-client.ts';
import { CLIENT_FRAME } from '../websocket-frames.ts';

type Headers = Readonly<Record<string, string>>;

/** Where it is done; plain data, so that a thread can be given it. */
export interface ActPlace {
  /** One, or one for each of `SOCKET_PATHS`. */
  readonly urls: readonly string[];
  /** Of Postern. */
  readonly directory: string;
  readonly viewer: Headers;
  readonly admin: Headers;
  readonly restricted: Headers;
  readonly sessions: readonly Headers[];
}

interface Preparing {
  readonly postern: StartedPostern;
  readonly keep: <Server extends { stop(): Promise<void> }>(starting: Promise<Server>) => Promise<Server>;
}

export interface CostlyAct {
  readonly what: string;
  /** An NVR has nothing like it: the control is what others feel at the NVR while Postern does it. */
  readonly isOwn?: boolean;
  readonly prepare?: (
    preparing: Preparing,
  ) => Promise<{ readonly postern?: StartedPostern; readonly sessions?: readonly Headers[] } | undefined>;
  /** Does it until the thread ends. `begin` is called when all is ready for it. */
  readonly act: (place: ActPlace, begin: () => void) => Promise<void>;
}

/** An upstream has a bound for its connections: each of these has an upstream of its own. */
export const SOCKET_PATHS: readonly string[] = ['/ws', ...[1, 2, 3, 4, 5].map((at) => `/live/jsmpeg/cam${at}`)];
/** The messages of the first path are judged one by one: as many as fit go there. */
const MOST_JUDGED = 900;
const PEOPLE_WITH_SOCKETS = 24;
const RECORDING = '/recordings/2026-11-20/10/cam1/00.00.mp4';
const RECORDS = 100_000;
const CONFIG_BYTES = 500_000;
const RELOAD_EVERY_MS = 1_000;

const CSV = '/api/ledger?format=csv';
const compressed = (headers: Headers): Headers => ({ ...headers, 'accept-encoding': 'gzip' });

// biome-ignore format: a table
export const COSTLY_ACTS: ReadonlyMap<string, CostlyAct> = new Map<string, CostlyAct>([
  ['events',    { what: 'lists of 10,000 events narrowed for four', act: asking(4, '/api/events?limit=10000', ({ restricted }) => restricted) }],
  ['ledger',    { what: 'a ledger of 100,000 records as CSV', isOwn: true, prepare: fillLedger, act: asking(1, CSV, ({ admin }) => admin) }],
  ['users',     { what: 'the list of 2,000 users for four', isOwn: true, prepare: moveInCrowd(2000), act: asking(4, '/api/users', ({ admin }) => compressed(admin)) }],
  ['clients',   { what: '64 clients on one narrowed list', act: asking(64, '/api/events?limit=500', ({ restricted }) => restricted) }],
  ['downloads', { what: 'twelve downloads of 200 MB', act: asking(12, `${RECORDING}?bytes=200000000`, ({ viewer }) => viewer) }],
  ['messages',  { what: '2,000 sockets with 4,000 messages a second', prepare: logInCrowd(PEOPLE_WITH_SOCKETS), act: messages }],
  ['config',    { what: 'the configuration of 100 cameras for eight admins', act: asking(8, '/api/config?limit=100', ({ admin }) => admin) }],
  ['reload',    { what: 'reloads of a configuration of 500 KB', isOwn: true, act: reloads }],
  ['closing',   { what: '5,000 sockets that close at once', prepare: logInCrowd(PEOPLE_WITH_SOCKETS), act: closing }],
  ['restart',   { what: '2,000 clients that are back after a restart', prepare: restarted, act: comingBack }],
]);

/** So many at once, each again as soon as it has the answer. */
function asking(atOnce: number, path: string, headersOf: (place: ActPlace) => Headers): CostlyAct['act'] {
  return async (place, begin) => {
    begin();
    const target = { url: `${place.urls[0]}${path}`, headers: headersOf(place) };
    const request = getRequest(target);
    const again = async (): Promise<void> => {
      for (const { ask } = await openConnection(target.url); ; ) await ask(request);
    };
    await Promise.all(Array.from({ length: atOnce }, again));
  };
}

async function openSockets(count: number, { urls, sessions }: ActPlace): Promise<readonly Socket[]> {
  const open = (at: number): Promise<Socket> => {
    const path = at < MOST_JUDGED ? 0 : 1 + (at % (SOCKET_PATHS.length - 1));
    const url = `${urls[path] ?? urls[0]}${SOCKET_PATHS[path]}`;
    return openWebSocket({ url, headers: sessions[at % sessions.length] ?? {} });
  };
  const sockets: Socket[] = [];
  while (sockets.length < count)
    sockets.push(...(await Promise.all(Array.from({ length: 50 }, (_, at) => open(sockets.length + at)))));
  for (const socket of sockets) socket.resume();
  return sockets;
}

async function messages(place: ActPlace, begin: () => void): Promise<void> {
  const sockets = await openSockets(2000, place);
  begin();
  for (let at = 0; ; await sleep(10))
    for (const end = at + 40; at < end; at += 1) sockets[at % 2000]?.write(CLIENT_FRAME);
}

async function closing(place: ActPlace, begin: () => void): Promise<void> {
  const sockets = await openSockets(5000, place);
  begin();
  await sleep(1_000);
  for (const socket of sockets) socket.destroy();
}

async function comingBack({ urls: [url = ''], sessions }: ActPlace, begin: () => void): Promise<void> {
  begin();
  const ask = async (at: number): Promise<void> => {
    const connection = await openConnection(url);
    await connection.ask(getRequest({ url: `${url}/api/version`, headers: sessions[at % sessions.length] ?? {} }));
  };
  await Promise.all(Array.from({ length: 2000 }, (_, at) => ask(at)));
}

async function reloads({ directory }: ActPlace, begin: () => void): Promise<void> {
  const file = join(directory, 'config.yaml');
  const before = readFileSync(file, 'utf8').replaceAll(/^ {4}role_\d.*\n/gm, '');
  const role = (at: number): string => `    role_${at}: [cam1, cam2] # ${'x'.repeat(50)}\n`;
  const roles = Array.from({ length: CONFIG_BYTES / role(1000).length }, (_, at) => role(at)).join('');
  begin();
  for (let turn = 0; ; turn += 1, await sleep(RELOAD_EVERY_MS))
    writeFileSync(file, `${before.replace(/^ {2}roles:\n/m, (head) => head + roles)}# ${turn}\n`);
}

/** People like Vera, with her password; the first is `person1`. */
function moveInCrowd(count: number) {
  return async ({ postern: { directory } }: Preparing): Promise<undefined> => {
    inStore(
      directory,
      `insert into users (name, role, password_hash, created_at)
      ${COUNTING} select 'person' || i, role, password_hash, created_at from n, users where name = '${VERA.name}' and i <= ${count}`,
    );
  };
}

function logInCrowd(count: number) {
  return async (preparing: Preparing) => {
    await moveInCrowd(count)(preparing);
    const logIn = (at: number) => preparing.postern.cookieOf({ ...VERA, name: `person${at + 1}` });
    return { sessions: await askInTurns([...Array(count).keys()], logIn) };
  };
}

/** Numbers from 1 on, as `i` of `n`. */
const COUNTING = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${RECORDS})`;

function inStore(directory: string, statement: string): void {
  const file = new DatabaseSync(join(directory, 'postern.db'));
  file.exec(statement);
  file.close();
}

async function fillLedger({ postern: { directory } }: Preparing): Promise<undefined> {
  inStore(
    directory,
    `insert into ledger_records (id, chain, kind, user_name, address, camera, from_at, to_at, hash)
    ${COUNTING} select printf('past:%012d', i), 'past', 'live', 'vera', '192.0.2.1', 'cam1', i, i + 9, hex(randomblob(32)) from n`,
  );
}

/** The process that had them all is gone, and another one in its place knows none of their sessions yet. */
async function restarted(preparing: Preparing) {
  const { sessions } = await logInCrowd(200)(preparing);
  const { postern, keep } = preparing;
  const ended = once(postern.child, 'exit');
  postern.child.kill();
  await ended;
  return { postern: await keep(startIn(postern.directory)), sessions };
}
