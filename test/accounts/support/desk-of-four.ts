/** A desk with an admin named admin, another named boss, a viewer named vera, a gardener named gus: each with a session. */
import type { TestContext } from 'node:test';
import { person, quickHasher } from './people.ts';
import { type DeskOptions, startDesk } from './start-desk.ts';

const FOUR = [
  ['admin', 'admin'],
  ['boss', 'admin'],
  ['vera', 'viewer'],
  ['gus', 'gardener'],
] as const;

export async function deskOfFour(t: TestContext, options: DeskOptions = {}) {
  const started = await startDesk(t, options);
  const tokens = new Map<string, string>();
  for (const [name, role] of FOUR) {
    const user = await person(name, { role });
    await started.store.addUser(user);
    tokens.set(name, await started.sessions.issue(user));
  }
  const as = (name: string, method: string, path: string, body?: unknown) =>
    started.desk(method, path, {
      headers: { cookie: `frigate_token=${tokens.get(name) ?? ''}`, 'user-agent': `${name}'s browser` },
      body,
    });
  const withToken = (token: string, method: string, path: string, body?: unknown) =>
    started.desk(method, path, { headers: { authorization: `Bearer ${token}` }, body });
  const opens = async (name: string, password: string): Promise<boolean> =>
    (await quickHasher().check(password, (await started.store.findUser(name))?.passwordHash)).kind === 'match';
  return { ...started, as, withToken, opens, tokens };
}
