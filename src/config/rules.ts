/** Runs the rules between keys: problems, warnings, and what of a reloaded configuration holds at once (SPEC 1, reload). */
import { isDeepStrictEqual } from 'node:util';
import { about, type Finding, valueAt } from './problems/problems.ts';
import { AUTH_RULES } from './schema/auth-rules.ts';
import { isWider } from './schema/keys.ts';
import { PROXY_RULES } from './schema/proxy-rules.ts';
import type { Rule, Schema, Settings } from './schema/schema.ts';
import { SERVER_RULES } from './schema/server-rules.ts';

const RULES: readonly Rule[] = [...SERVER_RULES, ...AUTH_RULES, ...PROXY_RULES];

/** `tree`: the raw values. `isWhole`: with the values that the store holds. */
export function crossFindings(tree: unknown, isWhole: boolean, { rules }: Schema): readonly Finding[] {
  const raw = (key: string): unknown => valueAt(tree, key.split('.'));
  return [...RULES, ...rules].flatMap(({ problems }) => problems?.(raw, isWhole) ?? []);
}

export const listWarnings = (settings: Settings, { rules }: Schema): readonly Finding[] =>
  [...RULES, ...rules].flatMap(({ warnings }) => warnings?.(settings) ?? []);

export type Renewal = ReturnType<typeof renewed>;

/** `running` is what holds now, `read` what the file says, `written` the keys that have a value there: all, unless told otherwise. */
export function renewed(
  schema: Pick<Schema, 'keys' | 'rules'>,
  running: Settings,
  read: Settings,
  written?: ReadonlySet<string>,
) {
  const different = changedKeys(running, read);
  const given = written ?? new Set(different);
  /** Those of `waiting` that wait because their new value would trust more than the active one. */
  const held = different.filter((key) => isHeld(key, schema, running, read, given));
  /** Keys that would have another value after a restart. */
  const waiting = different.filter((key) => schema.keys.get(key)?.fromStart || held.includes(key));
  const changed = different.filter((key) => !waiting.includes(key));
  const settings = keeping(waiting, running, read);
  /** `settings`: what holds from now on. `warnings`: of changes that are active at once but are often made by mistake. */
  return { settings, changed, waiting, held, warnings: lostProxies(running, settings) };
}

/** The source of identity and everything that it reads change together. */
const OF_IDENTITY = /^auth\.(?:enabled|trusted_proxies)$|^proxy\./;

/**
 * Whether a key keeps the active value until a restart, because the new one would believe identity from more places, or
 * because the key is gone and its default allows more: a file that lost a key still parses.
 */
function isHeld(
  key: string,
  schema: Pick<Schema, 'keys' | 'rules'>,
  running: Settings,
  read: Settings,
  given: ReadonlySet<string>,
): boolean {
  if (running.auth.enabled !== read.auth.enabled && OF_IDENTITY.test(key)) return true;
  if ([...RULES, ...schema.rules].some((rule) => rule.key === key && rule.widens?.(running, read, given))) return true;
  const [before, after] = [running, read].map((settings) => valueAt(settings, key.split('.')));
  return !given.has(key) && isWider(schema.keys.get(key), before, after);
}

const lostProxies = (before: Settings, now: Settings): readonly Finding[] =>
  about(
    ['auth', 'trusted_proxies'],
    before.auth.trusted_proxies.length > 0 &&
      now.auth.trusted_proxies.length === 0 &&
      `was ${before.auth.trusted_proxies.join(', ')} and was removed: behind a proxy all clients now have the address of the proxy, in login limits and in the log; put the list back if there is a proxy in front`,
  );

type Sections = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** What limits a role stands with it in the file. */
const LIMITS = 'auth.limits';
const ROLES = 'auth.roles';

/** `auth.roles`: section and key, as they stand in the file. */
function changedKeys(before: Sections, after: Sections): readonly string[] {
  const changed = Object.keys(after).flatMap((section) => {
    const keys = new Set([...Object.keys(before[section] ?? {}), ...Object.keys(after[section] ?? {})]);
    const different = [...keys].filter((key) => !isDeepStrictEqual(before[section]?.[key], after[section]?.[key]));
    return different.map((key) => `${section}.${key}`);
  });
  return [...new Set(changed.map((key) => (key === LIMITS ? ROLES : key)))];
}

function keeping(keys: readonly string[], running: Sections, read: Settings): Settings {
  let settings = read;
  for (const key of keys.includes(ROLES) ? [...keys, LIMITS] : keys) {
    const [section = '', name = ''] = key.split('.');
    const kept = { ...(settings as Sections)[section], [name]: running[section]?.[name] };
    settings = { ...settings, [section]: kept };
  }
  return settings;
}
