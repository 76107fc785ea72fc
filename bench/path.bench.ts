/**
 * How many source files a request enters, by V8's own count of the functions that are called. The first request of each kind is
 * not counted, because it loads what is imported late. Files count that each later one enters: the others are work in the background. `PATHS=1` lists the files.
 */
import { once } from 'node:events';
import { Session } from 'node:inspector/promises';
import { relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { startFakeNvr } from '../test/support/fake-nvr.ts';
import { VERA } from '../test/support/people.ts';
import { startInstance } from '../test/support/start-instance.ts';
import { type Finding, printFindings } from './table.ts';

export const benchmark = { title: 'files that a request enters', run };

const SOURCE = fileURLToPath(new URL('../src', import.meta.url));

const ROUNDS = 5;

async function run(): Promise<void> {
  const nvr = await startFakeNvr();
  const instance = await startInstance({ config: { nvr: { url: nvr.url, cameras: ['cam1'] } } });
  const token = await instance.logIn(VERA);
  const headers = { cookie: `frigate_token=${token}` };
  const exchanges: readonly [what: string, atMost: number, exchange: () => Promise<unknown>][] = [
    ['a forwarded GET', 75, async () => (await fetch(`${instance.url}/api/version`, { headers })).text()],
    ['a login', 80, () => instance.logIn(VERA)],
    [
      'an upgrade',
      60,
      async () => {
        const socket = new WebSocket(`${instance.url.replace('http', 'ws')}/live/mse/api/ws?src=cam1`, { headers });
        await once(socket, 'open');
        socket.close();
        await once(socket, 'close');
      },
    ],
  ];
  const findings: Finding[] = [];
  for (const [what, atMost, exchange] of exchanges) {
    await exchange();
    const rounds: (readonly string[])[] = [];
    for (let round = 0; round < ROUNDS; round += 1) rounds.push(await filesEntered(exchange));
    const files = (rounds[0] ?? []).filter((file) => rounds.every((entered) => entered.includes(file)));
    findings.push({ what, seen: files.length, unit: 'files', goal: { atMost } });
    if (process.env['PATHS']) console.log(`${what}:\n  ${files.join('\n  ')}\n`);
  }
  await instance.close();
  await nvr.close();
  printFindings(findings);
}

/** Relative to `src`, in the order of their names. */
async function filesEntered(exchange: () => Promise<unknown>): Promise<readonly string[]> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await session.post('Profiler.takePreciseCoverage'); // counts begin anew
  await exchange();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  return result
    .filter(({ url, functions }) => url.startsWith('file:') && functions.some(({ ranges }) => ranges.some(wasEntered)))
    .map(({ url }) => relative(SOURCE, fileURLToPath(url)))
    .filter((file) => !file.startsWith('..'))
    .map((file) => file.split(sep).join('/'))
    .sort();
}

const wasEntered = ({ count }: { readonly count: number }): boolean => count > 0;
