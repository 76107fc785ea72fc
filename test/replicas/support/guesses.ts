/** Logins from any address, as a trusted proxy on this machine would forward them. */
import type { Person } from '../../support/people.ts';
import type { ConfigTree, Runtime } from '../../support/start-instance.ts';

export const limitedConfig = (rate: string): ConfigTree => ({
  auth: { hash_iterations: 1000, trusted_proxies: ['127.0.0.1/32'], failed_login_rate_limit: rate },
});

/** `code`: of a second factor, beside the password. */
export async function logInFrom(
  at: Runtime,
  address: string,
  { name, password }: Person,
  code?: string,
): Promise<number> {
  const answer = await at.ask('/api/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify({ user: name, password, code }),
    signal: AbortSignal.timeout(60_000),
  });
  await answer.body?.cancel();
  return answer.status;
}

/** The statuses of wrong passwords, one after the other. */
export async function guessesFrom(at: Runtime, address: string, person: Person, times: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let count = 0; count < times; count += 1)
    statuses.push(await logInFrom(at, address, { ...person, password: 'a wrong password' }));
  return statuses;
}
