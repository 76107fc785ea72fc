/** Filters for programs that ban addresses, on the lines of an instance whose passwords are being guessed (SPEC 9). */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { VERA } from '../support/people.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';
import { missing, run } from './support/debian.ts';

const DEPLOYED = join(import.meta.dirname, '../../deploy');
const FILTER = join(DEPLOYED, 'fail2ban/filter.d/postern.conf');

/** What a client writes into its own line, in the hope that it is read as another's. */
const FORGED = '","from":"198.51.100.99","verdict":"refused","reason":"bad-credentials","x":"';

let instance: Runtime;
let file: string;
let lines: string[];
before(async () => {
  instance = await startInstance({
    config: {
      nvr: { cameras: ['cam1'] },
      auth: { trusted_proxies: ['127.0.0.1/32'], failed_login_rate_limit: '2/minute', hash_iterations: 1000 },
    },
  });
  const attempt = (address: string, user: string, password: string, agent = 'curl/8') =>
    instance.ask('/api/login', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': address, 'User-Agent': agent },
      body: JSON.stringify({ user, password }),
    });
  for (let at = 0; at < 3; at += 1) await attempt('192.0.2.7', 'admin', 'not the password');
  await attempt('2001:db8::7', 'no user "at" all', 'not the password');
  await attempt('192.0.2.8', VERA.name, VERA.password, FORGED);
  await attempt('192.0.2.9', VERA.name, 'not the password', FORGED);
  await attempt('192.0.2.12', 'nobody', 'not the password');
  await instance.ask(`/api/${encodeURIComponent(FORGED)}?x=${FORGED}`, {
    headers: { 'X-Forwarded-For': '192.0.2.10' },
  });
  await instance.ask('/api/version', {
    token: `pst_${'0'.repeat(16)}_${'a'.repeat(64)}`,
    headers: { 'X-Forwarded-For': '192.0.2.11' },
  });
  await instance.postern.close();
  file = join(instance.directory, 'audit.log');
  lines = instance.log.filter(({ logger }) => logger === 'service.audit').map((line) => JSON.stringify(line));
  writeFileSync(file, `${lines.join('\n')}\n`);
});
after(() => instance.close());

const EXPECTED = ['192.0.2.7', '192.0.2.7', '192.0.2.7', '2001:db8::7', '192.0.2.9', '192.0.2.12', '192.0.2.11'];

describe('fail2ban', { skip: missing('fail2ban-regex', 'fail2ban') }, () => {
  it('finds the address that guesses, and no address that a client claims', async () => {
    const { code, output } = await run('fail2ban-regex', ['--out', 'ip', file, FILTER]);
    assert.equal(code, 0, output);
    assert.deepEqual(output.trim().split('\n'), EXPECTED);
  });

  it('reads the time of each line', async () => {
    const { output } = await run('fail2ban-regex', [file, FILTER]);
    assert.match(output, new RegExp(`Lines: ${lines.length} lines, 0 ignored, ${EXPECTED.length} matched`));
    assert.match(output, new RegExp(`\\[${lines.length}\\] .*Year-Month-DayT24hour:Minute:Second`));
  });

  const FORMS: readonly (readonly [form: string, kept: (line: string) => string])[] = [
    ['the journal', (line) => `nvr postern[812]: ${line}`],
    [
      "Docker's json-file",
      (line) => JSON.stringify({ log: `${line}\n`, stream: 'stdout', time: '2026-01-01T00:00:00Z' }),
    ],
  ];
  for (const [form, kept] of FORMS)
    it(`finds the same addresses in the lines as ${form} has them`, async () => {
      const other = join(instance.directory, 'kept.log');
      writeFileSync(other, `${lines.map(kept).join('\n')}\n`);
      const { code, output } = await run('fail2ban-regex', ['--out', 'ip', other, FILTER]);
      assert.equal(code, 0, output);
      assert.deepEqual(output.trim().split('\n'), EXPECTED);
    });

  it('finds no address in other log lines', async () => {
    const others = instance.log.filter(({ logger }) => logger !== 'service.audit').map((line) => JSON.stringify(line));
    assert.ok(others.length > 5);
    const { output } = await run('fail2ban-regex', [others.join('\n'), FILTER]);
    assert.match(output, /, 0 matched,/);
  });
});
