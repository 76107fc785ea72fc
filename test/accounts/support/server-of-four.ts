/** A send with an admin named admin, another named boss, a viewer named vera, a gardener named gus: each with a session. */
import type { TestContext } from 'node:test';
import { type AccountServerOptions, startAccountServer } from './account-server.ts';
import { person, quickHasher } from './people.ts';

const FOUR = [
  ['admin', 'admin'],
  ['boss', 'admin'],
  ['vera', 'viewer'],
  ['gus', 'gardener'],
] as const;

export async function accountServerOfFour(t: TestContext, options: AccountServerOptions = {}) {
  const started = await startAccountServer(t, options);
  const tokens = new Map<string, string>();
  for (const [name, role] of FOUR) {
    const user = await person(name, { role });
    await started.store.addUser(user);
    tokens.set(name, await started.sessions.issue(user));
  }
  const as = (name: string, method: string, path: string, body?: unknown) =>
    started.send(method, path, {
      headers: { cookie: `frigate_token=${tokens.get(name) ?? ''}`, 'user-agent': `${name}'s browser` },
      body,
    });
  const withToken = (token: string, method: string, path: string, body?: unknown) =>
    started.send(method, path, { headers: { authorization: `Bearer ${token}` }, body });
  const opens = async (name: string, password: string): Promise<boolean> =>
    (await quickHasher().check(password, (await started.store.findUser(name))?.passwordHash)) === 'match';
  return { ...started, as, withToken, opens, tokens };
}
