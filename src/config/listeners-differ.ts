/** Two listeners at one address: the second could not be had at the start (SPEC 1). */

import type { Finding } from './problems/problems.ts';
import { parseListenAddress, serverDefaults } from './schema/addresses.ts';

const LISTENERS = ['external', 'internal', 'telemetry'] as const;
const EVERYWHERE: readonly string[] = ['0.0.0.0', '::'];

/** Compares the raw values. One that is no address is a problem of its own. */
export function listenersDiffer(tree: unknown): readonly Finding[] {
  const given: Readonly<Record<string, unknown>> = Object(Object(tree).server);
  const placed = LISTENERS.flatMap((name) => {
    const text = given[name] ?? serverDefaults[name];
    const address = typeof text === 'string' ? parseListenAddress(text) : undefined;
    return address?.ok && address.value.port !== 0 ? [{ name, ...address.value }] : [];
  });
  return placed.flatMap((one, at) => {
    const other = placed.slice(0, at).find(({ host, port }) => port === one.port && overlaps(host, one.host));
    if (!other) return [];
    const named = one.name in given || !(other.name in given) ? one : other;
    const message = `port ${one.port} is that of server.${named === one ? other.name : one.name} too: choose another`;
    return [{ path: ['server', named.name], message }];
  });
}

const overlaps = (one: string, other: string): boolean =>
  one === other || EVERYWHERE.includes(one) || EVERYWHERE.includes(other);
