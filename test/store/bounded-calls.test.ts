/** A server that is frozen holds no request: each call for accounts is given up, whichever part of the store it is of (SPEC 10). */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { findStoreFault } from '../../src/domain/store/store-fault.ts';
import { boundCalls, type Store } from '../../src/store/open-store.ts';
import { openInstanceStore } from '../accounts/support/people.ts';

/** The server ends questions about events by itself; `db` and `here` are no parts. */
const OTHERS = ['db', 'events', 'here'];
const ATTEMPTS = ['reserve', 'keep', 'release', 'forget'];
const isObject = (part: unknown): part is object => typeof part === 'object' && part !== null;

it('Each call of each part of the store is given up after four seconds', async (t) => {
  const store = await openInstanceStore(t);
  const frozen = (): Promise<never> => new Promise(() => {});
  const frozenPart = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, frozen]));
  const parts = Object.entries(store).flatMap(([name, part]) =>
    isObject(part) && !OTHERS.includes(name) ? [[name, frozenPart(Object.keys(part))]] : [],
  );
  const all = Object.fromEntries([...parts, ['attempts', frozenPart(ATTEMPTS)]]);
  const single = frozenPart(['serverTime', 'identity', 'probe']);
  const bounded: object = boundCalls({ ...store, ...all, ...single } as Store);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const given = new Set<string>();
  const called: string[] = [];
  const call = (name: string, act: () => Promise<unknown>): void => {
    called.push(name);
    act().catch((fault: unknown) => findStoreFault(fault) === 'unreachable' && given.add(name));
  };
  for (const [name, part] of Object.entries(bounded)) {
    if (name in single) call(name, part);
    if (name in all) for (const [inner, act] of Object.entries<typeof frozen>(part)) call(`${name}.${inner}`, act);
  }
  assert.ok(called.length > 80, `${called.length} calls`);
  t.mock.timers.tick(4000);
  await turn();
  assert.deepEqual(
    called.filter((name) => !given.has(name)),
    [],
  );
});
