/** The audit log: who was refused what, and a file of its own that may be moved (SPEC 9). */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openAuditFile } from '../../src/telemetry/logs/audit-log.ts';
import { CARL, VERA } from '../support/people.ts';
import { startInstance } from '../support/start-instance.ts';
import { until } from '../support/until.ts';

const directory = mkdtempSync(join(tmpdir(), 'postern-audit-'));
after(() => rmSync(directory, { recursive: true, force: true }));

const linesOf = (file: string): string[] => readFileSync(file, 'utf8').split('\n').slice(0, -1);

describe('The audit file', () => {
  const faults: unknown[] = [];
  const open = (name: string) => openAuditFile({ file: join(directory, name), onFault: (fault) => faults.push(fault) });

  it('holds every line in order, readable by its owner alone', async () => {
    const file = await open('made/when/missing.log');
    const lines = Array.from({ length: 500 }, (_, at) => `line ${at}`);
    for (const line of lines) file.write(`${line}\n`);
    await file.close();
    const path = join(directory, 'made/when/missing.log');
    assert.deepEqual(linesOf(path), lines);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.deepEqual(faults, []);
  });

  it('goes on where it was', async () => {
    for (const line of ['one\n', 'two\n']) {
      const file = await open('again.log');
      file.write(line);
      await file.close();
    }
    assert.deepEqual(linesOf(join(directory, 'again.log')), ['one', 'two']);
  });

  it('is made anew when it was moved, and no line is lost', async () => {
    const [path, moved] = [join(directory, 'moved.log'), join(directory, 'moved.log.1')];
    const file = await open('moved.log');
    file.write('before\n');
    await until('the line is written', () => readFileSync(path, 'utf8') === 'before\n');
    renameSync(path, moved);
    file.write('behind\n');
    await file.close();
    assert.deepEqual([linesOf(moved), linesOf(path)], [['before'], ['behind']]);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.deepEqual(faults, []);
  });

  it('goes on from its beginning when it was emptied', async () => {
    const path = join(directory, 'emptied.log');
    const file = await open('emptied.log');
    file.write('before\n');
    await until('the line is written', () => readFileSync(path, 'utf8') === 'before\n');
    truncateSync(path);
    file.write('behind\n');
    await file.close();
    assert.deepEqual(linesOf(path), ['behind']);
  });

  it('tells how many lines a full disk has cost, and goes on', async () => {
    const lost: number[] = [];
    const file = await openAuditFile({ file: '/dev/full', onFault: (_, lines) => lost.push(lines) });
    file.write('one\n');
    file.write('two\n');
    await file.close();
    assert.deepEqual(lost, [1, 1]);
  });

  it('cannot be a directory', () =>
    assert.rejects(startInstance({ config: { logger: { audit_file: directory } } }), {
      message: `${directory} cannot be written: name another file in logger.audit_file, or remove the key`,
    }));
});

describe('An instance with an audit file', () => {
  const file = join(directory, 'instance.log');
  let records: Record<string, unknown>[];
  before(async () => {
    const instance = await startInstance({
      config: {
        nvr: { cameras: ['cam1', 'cam2'] },
        events: { sample: 5 },
        logger: { default: 'error', logs: { 'service.audit': 'info' }, audit_file: file },
      },
    });
    const [vera, carl] = [await instance.logIn(VERA), await instance.logIn(CARL)];
    await instance.ask('/api/users', { token: vera });
    await instance.ask('/api/events?camera=cam2', { token: carl });
    await instance.ask('/api/events', { token: carl });
    await instance.ask('/logout', { method: 'POST', token: vera });
    await instance.close();
    records = linesOf(file).map((line) => JSON.parse(line));
  });

  it('finds there who came, who was refused what by role, and who went', () =>
    assert.deepEqual(
      records.map(({ what, who, verdict, reason, path }) => [what, who, verdict, reason, path]),
      [
        ['login', 'vera', 'allowed', undefined, undefined],
        ['login', 'carl', 'allowed', undefined, undefined],
        ['access', 'vera', 'refused', 'role-too-low', '/api/users'],
        ['access', 'carl', 'refused', 'camera-not-in-role', '/api/events'],
        ['logout', 'vera', 'allowed', undefined, undefined],
      ],
    ));

  it('finds there from where, and under which request id', () => {
    for (const { from, requestId } of records) assert.deepEqual([from, typeof requestId], ['127.0.0.1', 'string']);
  });
});
