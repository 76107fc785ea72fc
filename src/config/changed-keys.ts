/** What of a configuration that was read again holds at once, and what from the next start on (SPEC 1, reload). */
import { isDeepStrictEqual } from 'node:util';
import type { Settings } from './schema.ts';

/** What is opened once at a start. Everything else can change while the service runs. */
// biome-ignore format: a table
const FROM_THE_START: ReadonlySet<string> = new Set([
  'server.external', 'server.internal', 'server.telemetry', 'server.timeout_headers',
  'tls.enabled', 'tls.certificate', 'tls.private_key', 'tls.hsts', 'tls.hsts',
  'auth.reset_admin_password',
  'events.sample',
  'store.url', 'store.listen_url', 'store.grace',
  'limits.redis_url',
  'logger.audit_file', 'logger.audit_max_size',
]);

export interface Renewal {
  /** What holds from now on. */
  readonly settings: Settings;
  /** Keys that hold from now on with another value. */
  readonly changed: readonly string[];
  /** Keys that would have another value after a restart. */
  readonly waiting: readonly string[];
}

/** `running` is what holds now, `read` what the file says. */
export function renewed(running: Settings, read: Settings): Renewal {
  const different = changedKeys(running, read);
  const waiting = different.filter((key) => FROM_THE_START.has(key));
  return {
    settings: keeping(waiting, running, read),
    changed: different.filter((key) => !FROM_THE_START.has(key)),
    waiting,
  };
}

type Sections = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** What a role may not do stands with it in the file. */
const STANDS_IN: ReadonlyMap<string, string> = new Map([['auth.denied', 'auth.roles']]);

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
  for (const key of keys) {
    const [section = '', name = ''] = key.split('.');
    const kept = { ...(settings as Sections)[section], [name]: running[section]?.[name] };
    settings = { ...settings, [section]: kept };
  }
  return settings;
}
