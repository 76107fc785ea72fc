/** A process with few file descriptors: connections that would take the last ones are closed, and telemetry goes on (SPEC 9). */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { MAIN, newDirectory } from '../support/run-postern.ts';
import { freePorts } from '../support/servers/free-port.ts';
import { until } from '../support/until.ts';

const CONFIG = 'tls: {enabled: false}\nauth: {hash_iterations: 1000}\n';

describe('A service with 64 file descriptors', () => {
  it('answers /readyz and /metrics while clients hold all connections that they get, says so, and heals', async (t) => {
    const [external, telemetry] = await freePorts(2);
    const child = spawn(
      'sh',
      ['-c', 'ulimit -n 64; exec "$@"', 'sh', process.execPath, MAIN, '--config-dir', newDirectory(CONFIG), 'serve'],
      {
        env: {
          PATH: process.env['PATH'],
          POSTERN__SERVER__EXTERNAL: `127.0.0.1:${external}`,
          POSTERN__SERVER__INTERNAL: 'false',
          POSTERN__SERVER__TELEMETRY: `127.0.0.1:${telemetry}`,
        },
      },
    );
    const held: Socket[] = [];
    t.after(async () => {
      for (const socket of held) socket.destroy();
      child.kill();
      await once(child, 'exit');
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    await until('it is ready', () => output.includes('Postern is ready.'));
    for (let at = 0; at < 200; at++) held.push(connect(Number(external), '127.0.0.1').on('error', () => {}));
    await until('the log says so', () => output.includes('few file descriptors are left'));
    const ask = (path: string) => fetch(`http://127.0.0.1:${telemetry}${path}`);
    // Each is answered. On a busy machine the events worker may be silent for a moment, which is told here.
    for (let round = 0; round < 20; round++) await until('it is ready', async () => (await ask('/readyz')).ok);
    assert.match(await (await ask('/metrics')).text(), /^postern_connections_refused_total\{cause="full"\} [1-9]/m);
    for (const socket of held) socket.destroy();
    await until('a new client is answered', () =>
      fetch(`http://127.0.0.1:${external}/api/version`).then(
        ({ status }) => status === 401 || status === 200 || status === 404,
        () => false,
      ),
    );
  });
});
