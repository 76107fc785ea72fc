/** What a `User-Agent` is called by people: `Firefox on Windows`. It is a guess to recognise one's own device by. */
import { words } from '../shared/words.ts';

// biome-ignore format: a table
const BROWSERS: readonly [pattern: RegExp, name: string][] = [
  [/HomeAssistant|Home Assistant/, 'Home Assistant'],
  [/\bEdg(?:A|iOS)?\//,            'Edge'],
  [/\bOPR\//,                      'Opera'],
  [/SamsungBrowser\//,             'Samsung Internet'],
  [/Firefox\/|FxiOS\//,            'Firefox'],
  [/Chrome\/|CriOS\//,             'Chrome'],
  [/Version\/[\d.]+.*Safari\//,    'Safari'],
  [/^curl\//,                      'curl'],
];

// biome-ignore format: a table
const SYSTEMS: readonly [pattern: RegExp, name: string][] = [
  [/iPhone|iPod/,  'iPhone'],
  [/iPad/,         'iPad'],
  [/Android/,      'Android'],
  [/Windows/,      'Windows'],
  [/Mac OS X/,     'macOS'],
  [/CrOS/,         'ChromeOS'],
  [/Linux|X11/,    'Linux'],
];

const LONGEST_SHOWN = 60;

/** An unknown user agent is shown as it is: it may be a user's own program. */
export function deviceName(agent: string): string {
  const named = (table: typeof BROWSERS): string | undefined => table.find(([pattern]) => pattern.test(agent))?.[1];
  const [browser, system] = [named(BROWSERS), named(SYSTEMS)];
  if (browser !== undefined && system !== undefined) return words.sessions.on({ browser, system });
  return browser ?? system ?? (agent.trim().slice(0, LONGEST_SHOWN) || words.sessions.unknownDevice);
}
