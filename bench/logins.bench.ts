/** Logins: whether the time of a refused one tells which users exist, what forwarding feels of many, and replicas on PostgreSQL. */
import { ADMIN_PERSON, CARL } from '../test/support/people.ts';
import { startInstance } from '../test/support/start-instance.ts';
import { measureFlood } from './logins/flood.ts';
import { measureReplicas } from './logins/replicas.ts';
import { measureSideBySide } from './logins/side-by-side.ts';
import { printFindings, printTable } from './table.ts';

const ATTEMPTS = 40;
const WARM_UP = 2;

export const benchmark = { title: 'logins: refused ones, a flood of them, side by side, replicas', run };

const KINDS = [
  { name: 'wrong password', user: 'newcomer' },
  { name: 'wrong password, older and cheaper hash', user: CARL.name },
  { name: 'unknown user', user: 'nobody' },
  { name: 'no user name at all', user: 'no body!' },
] as const;

async function run(): Promise<void> {
  const instance = await startInstance({
    config: { auth: { hash_iterations: 600_000, failed_login_rate_limit: null }, logger: { default: 'warning' } },
  });
  const made = await instance.ask('/api/users', {
    method: 'POST',
    token: await instance.logIn(ADMIN_PERSON),
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'newcomer', password: 'a-long-password' }),
  });
  if (!made.ok) throw new Error(`no user could be made: ${made.status}`);
  const times = new Map(KINDS.map(({ name }) => [name as string, [] as number[]]));
  for (let turn = -WARM_UP; turn < ATTEMPTS; turn += 1) {
    for (const { name, user } of KINDS) {
      const milliseconds = await refusedLogin(instance.url, user);
      if (turn >= 0) times.get(name)?.push(milliseconds);
    }
  }
  await instance.close();
  console.log(`Refused logins, ${ATTEMPTS} of each kind in turn, 600,000 iterations\n`);
  const base = mean(times.get('wrong password') ?? []);
  printTable(
    ['', 'mean ms', 'median ms', 'slowest ms', 'ratio of means', 'goal'],
    [...times].map(([name, each]) => [
      name,
      mean(each).toFixed(1),
      median(each).toFixed(1),
      Math.max(...each).toFixed(1),
      (mean(each) / base).toFixed(3),
      name === 'wrong password' ? '' : '0.91 to 1.1',
    ]),
  );
  printFindings(await measureFlood());
  printFindings(await measureSideBySide());
  await measureReplicas();
}

async function refusedLogin(url: string, user: string): Promise<number> {
  const body = JSON.stringify({ user, password: 'not the password' });
  const start = performance.now();
  const answer = await fetch(`${url}/api/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  await answer.arrayBuffer();
  if (answer.status !== 401) throw new Error(`${user}: ${answer.status} instead of 401`);
  return performance.now() - start;
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
