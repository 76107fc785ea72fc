/** A reader of the output that has stopped: lines are bounded and counted, and the service stops in time (SPEC 1, 9). */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import { describe, it } from 'node:test';
import { openLogDestination } from '../../src/telemetry/logs/log-destination.ts';
import { MAIN, newDirectory } from '../support/run-postern.ts';
import { freePort } from '../support/servers/free-port.ts';
import { until } from '../support/until.ts';

const LINE = `${JSON.stringify({ level: 'info', msg: 'x'.repeat(1000) })}\n`;

describe('The destination of log lines', () => {
  it('drops what no reader takes, counts it, and goes on when it is read again', async () => {
    const stopped = new Writable({ highWaterMark: 1, write() {} }); // never calls back
    const log = openLogDestination(stopped);
    log.write(LINE);
    log.flush();
    for (let lines = 0; lines < 10_000; lines++) log.write(LINE);
    assert.ok(log.dropped() > 8000 && log.dropped() < 10_000, `${log.dropped()}`);
    assert.equal(await log.written(0), false);
  });

  it('writes every line when it is read, in order', async () => {
    const read = new PassThrough({ highWaterMark: 1024 });
    const log = openLogDestination(read);
    const text = read.setEncoding('utf8').toArray();
    for (let line = 0; line < 1000; line++) log.write(`${line} ${LINE}`);
    assert.equal(await log.written(10_000), true);
    read.end();
    const lines = (await text).join('').trimEnd().split('\n');
    assert.deepEqual([lines.length, lines.at(-1)?.split(' ')[0], log.dropped()], [1000, '999', 0]);
  });
});

/** Requests, each of which writes log lines as long as they may be. */
const AT_ONCE = 50;
const LONGEST = { path: 'p'.repeat(2048), agent: 'a'.repeat(1024) };

describe('A service whose output nothing reads', () => {
  it('answers, counts the dropped lines, and ends when it is told to', async (t) => {
    const [telemetry, internal] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
    const directory = newDirectory(
      `server: { external: '127.0.0.1:0', internal: '${internal}', telemetry: '${telemetry}', shutdown_grace: 1 }\ntls: { enabled: false }\nnvr: { cameras: [cam1] }\nlogger: { default: trace }\n`,
    );
    const child = spawn(process.execPath, [MAIN, '--config-dir', directory, 'serve'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    t.after(() => child.kill('SIGKILL'));
    child.stdout.pause();
    const isUp = () =>
      fetch(`http://${telemetry}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      );
    await until('it listens', isUp);
    const path = `http://${internal}/api/${LONGEST.path}`;
    const headers = { 'user-agent': LONGEST.agent };
    const dropped = async (): Promise<boolean> => {
      for (let asked = 0; asked < 200; asked += AT_ONCE)
        await Promise.all(
          Array.from({ length: AT_ONCE }, () => fetch(path, { headers }).then((answer) => answer.arrayBuffer())),
        );
      const text = await (await fetch(`http://${telemetry}/metrics`)).text();
      return /^postern_log_lines_dropped_total [1-9]/m.test(text);
    };
    await until('lines are dropped', dropped);
    child.kill('SIGTERM');
    await once(child, 'exit');
    assert.equal(child.exitCode, 0);
  });
});
