/** How long from `npm start`'s command to the first answer, with everything it needs on a warm disk. */
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, untilCalm } from '../machine.ts';
import { movedInDirectory, startArguments, startEnvironment } from '../start-postern.ts';
import { endsWithUs, startedTogether, startServer, stopProcess } from '../start-server.ts';
import { type Finding, median, printTable } from '../table.ts';

const STARTS = 9;
const TRY_EVERY_MS = 2;
const PATIENCE_MS = 20_000;
const CALM_PATIENCE_MS = 10_000;

export async function measureStart(): Promise<Finding[]> {
  await using servers = startedTogether();
  const upstream = await servers.keep(startServer('upstream', 1));
  const directory = await movedInDirectory({ upstream: upstream.url });
  const [plain, tls]: [number[], number[]] = [[], []];
  await oneStart(directory, false);
  await oneStart(directory, true); // makes the certificate, which is kept
  for (let start = 0; start < STARTS; start += 1) {
    await untilCalm(CALM_PATIENCE_MS);
    plain.push(await oneStart(directory, false));
    tls.push(await oneStart(directory, true));
  }
  rmSync(directory, { recursive: true });
  print([
    ['over HTTP', plain],
    ['over TLS, certificate there', tls],
  ]);
  return [
    { what: 'start to first answer', seen: median(plain), unit: 's', goal: { atMost: 0.8 } },
    { what: 'the same over TLS', seen: median(tls), unit: 's', goal: { atMost: 0.8 } },
  ];
}

/** Seconds from the call until 401 or 2xx is here. */
async function oneStart(directory: string, tls: boolean): Promise<number> {
  const port = await freePort();
  const since = performance.now();
  const child = spawn(process.execPath, startArguments(directory), {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: startEnvironment({
      POSTERN__SERVER__EXTERNAL: `127.0.0.1:${port}`,
      POSTERN__TLS__ENABLED: String(tls),
    }),
  });
  endsWithUs(child);
  try {
    while (performance.now() - since < PATIENCE_MS) {
      const status = await ask(port, tls);
      const seconds = (performance.now() - since) / 1000;
      if (status !== undefined && (status === 401 || status < 300)) return seconds;
      await sleep(TRY_EVERY_MS);
    }
    throw new Error(`no answer after ${PATIENCE_MS} ms`);
  } finally {
    await stopProcess(child);
  }
}

/** Undefined while nobody is there. */
function ask(port: number, tls: boolean): Promise<number | undefined> {
  return new Promise((resolve) => {
    const options = { host: '127.0.0.1', port, path: '/api/version', agent: false as const, rejectUnauthorized: false };
    const request = (tls ? tlsRequest : plainRequest)(options, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    request.once('error', () => resolve(undefined)).end();
  });
}

function print(rows: readonly (readonly [string, readonly number[]])[]): void {
  console.log(`From the call of serve to the first answer, ${STARTS} starts each\n`);
  printTable(
    ['', 'fastest s', 'median s', 'slowest s'],
    rows.map(([name, seconds]) => [
      name,
      ...[Math.min(...seconds), median(seconds), Math.max(...seconds)].map((each) => each.toFixed(2)),
    ]),
  );
  console.log();
}
