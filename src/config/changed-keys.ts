/** Compares a reloaded configuration with the active one: what changes now, what waits for a restart (SPEC 1, reload). */
import { isDeepStrictEqual } from 'node:util';
import { type Finding, when } from './problems/problems.ts';
import type { Settings } from './schema/schema.ts';
import { heldKeys } from './wider-trust.ts';

/** Keys that are read at a start only. All others can change while the service runs. */
// biome-ignore format: a table
const FROM_THE_START: ReadonlySet<string> = new Set([
  'server.external', 'server.internal', 'server.telemetry', 'server.site',
  'tls.enabled', 'tls.certificate', 'tls.private_key', 'tls.hsts',
  'auth.reset_admin_password',
  'events.sample',
  'store.url', 'store.listen_url', 'store.grace',
]);

export interface Renewal {
  /** What holds from now on. */
  readonly settings: Settings;
  /** Keys that hold from now on with another value. */
  readonly changed: readonly string[];
  /** Keys that would have another value after a restart. */
  readonly waiting: readonly string[];
  /** Those of `waiting` that wait because their new value would trust more than the active one. */
  readonly held: readonly string[];
  /** Changes that are active at once but are often made by mistake. */
  readonly warnings: readonly Finding[];
}

/** `running` is what holds now, `read` what the file says, `given` the keys that have a value there: all, unless told otherwise. */
export function renewed(running: Settings, read: Settings, keys?: ReadonlySet<string>): Renewal {
  const different = changedKeys(running, read);
  const given = keys ?? new Set(different);
  const held = heldKeys(running, read, different, given);
  const waiting = different.filter((key) => FROM_THE_START.has(key) || held.includes(key));
  const changed = different.filter((key) => !waiting.includes(key));
  const settings = keeping(waiting, running, read);
  return { settings, changed, waiting, held, warnings: lostProxies(running, settings) };
}

const lostProxies = (before: Settings, now: Settings): readonly Finding[] =>
  when(
    before.auth.trusted_proxies.length > 0 && now.auth.trusted_proxies.length === 0,
    ['auth', 'trusted_proxies'],
    `was ${before.auth.trusted_proxies.join(', ')} and was removed: behind a proxy all clients now have the address of the proxy, in login limits and in the log; put the list back if there is a proxy in front`,
  );

type Sections = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** What limits a role stands with it in the file. */
const STANDS_IN: ReadonlyMap<string, string> = new Map([['auth.limits', 'auth.roles']]);

const STANDS_WITH: ReadonlyMap<string, string> = new Map([...STANDS_IN].map(([part, key]) => [key, part]));

/** `auth.roles`: section and key, as they stand in the file. */
function changedKeys(before: Sections, after: Sections): readonly string[] {
  const changed = Object.keys(after).flatMap((section) => {
    const keys = new Set([...Object.keys(before[section] ?? {}), ...Object.keys(after[section] ?? {})]);
    const different = [...keys].filter((key) => !isDeepStrictEqual(before[section]?.[key], after[section]?.[key]));
    return different.map((key) => `${section}.${key}`);
  });
  return [...new Set(changed.map((key) => STANDS_IN.get(key) ?? key))];
}

function keeping(keys: readonly string[], running: Sections, read: Settings): Settings {
  let settings = read;
  const inTree = [...keys, ...keys.flatMap((key) => STANDS_WITH.get(key) ?? [])];
  for (const key of inTree) {
    const [section = '', name = ''] = key.split('.');
    const kept = { ...(settings as Sections)[section], [name]: running[section]?.[name] };
    settings = { ...settings, [section]: kept };
  }
  return settings;
}
