/** What the gate costs: requests and decisions per second against a bare proxy and a bare server, in the same run. */
import { type Figures, inTurn, printTable, startServer } from './load.ts';

const ROUNDS = 5;
const SECONDS = 3;

export const benchmark = { title: 'small JSON through the gate, and /auth decisions (8 connections, keep-alive)', run };

async function run(): Promise<void> {
  const upstream = await startServer('upstream', 1);
  const direct = `http://127.0.0.1:${upstream.lines[0]}`;
  const [bareProxy, bareAuth, postern] = await Promise.all([
    startServer('bare-proxy', 1, direct),
    startServer('bare-auth', 1),
    startServer('postern', 2, direct),
  ]);
  const [port, token] = postern.lines;
  const headers = { cookie: `frigate_token=${token}` };
  const figures = await inTurn(
    [
      { name: 'straight to the upstream', url: `${direct}/api/version` },
      { name: 'bare http-proxy', url: `http://127.0.0.1:${bareProxy.lines[0]}/api/version` },
      { name: 'through the gate, by cookie', url: `http://127.0.0.1:${port}/api/version`, headers },
      { name: 'bare Node server, 202', url: `http://127.0.0.1:${bareAuth.lines[0]}/auth` },
      { name: '/auth, by cookie', url: `http://127.0.0.1:${port}/auth`, headers },
    ],
    ROUNDS,
    SECONDS,
  );
  await Promise.all([upstream, bareProxy, bareAuth, postern].map((server) => server.stop()));
  print(figures);
}

function print(figures: ReadonlyMap<string, Figures>): void {
  const rate = (name: string): number => figures.get(name)?.requestsPerSecond ?? 0;
  printTable(
    ['', 'requests/s', 'p50 ms', 'p99 ms'],
    [...figures].map(([name, { requestsPerSecond, p50, p99 }]) => [
      name,
      requestsPerSecond.toFixed(0),
      p50.toFixed(1),
      p99.toFixed(1),
    ]),
  );
  console.log();
  printTable(
    ['ratio', 'seen', 'goal'],
    [
      ['gate / bare http-proxy', (rate('through the gate, by cookie') / rate('bare http-proxy')).toFixed(2), '≥ 0.80'],
      [
        'gate / straight to the upstream',
        (rate('through the gate, by cookie') / rate('straight to the upstream')).toFixed(2),
        '',
      ],
      ['/auth / bare Node server', (rate('/auth, by cookie') / rate('bare Node server, 202')).toFixed(2), ''],
    ],
  );
}
