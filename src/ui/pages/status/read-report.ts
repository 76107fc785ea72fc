/** What doctor found at the public address, read from what POST /api/status/doctor answers (SPEC 15). */
import { isFields } from '../shared/forms/fields.ts';
import { words } from '../shared/words.ts';

export const LEVELS = ['error', 'warning', 'advice'] as const;
export type Level = (typeof LEVELS)[number];

export interface ShownFinding {
  readonly name: string;
  readonly level: Level;
  readonly title: string;
  /** What was seen, in English; undefined where the title says it. */
  readonly detail: string | undefined;
  readonly advice: string;
  /** The lines to change at the proxy. */
  readonly lines: readonly string[];
}

/** What is wrong first. The answer is Postern's own, of the same build as this page. */
export async function readReport(body: unknown, language: string): Promise<readonly ShownFinding[]> {
  const told = isFields(body) && Array.isArray(body['findings']) ? body['findings'] : [];
  const german = language === 'de' ? (await import('../words/causes-de.ts')).CAUSES_DE : {};
  const shown = told.filter(isFields).map((finding): ShownFinding => {
    const { name, level, seen, advice, lines } = finding;
    const [title, cure] = german[String(name)] ?? [undefined, undefined];
    return {
      name: String(name),
      level: LEVELS.find((one) => one === level) ?? 'warning',
      title: title ?? sentence(String(seen)),
      detail: title === undefined ? undefined : String(seen),
      advice: cure ?? String(advice),
      lines: Array.isArray(lines) ? lines.map(String) : [],
    };
  });
  return shown.toSorted((one, other) => LEVELS.indexOf(one.level) - LEVELS.indexOf(other.level));
}

const sentence = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

export const levelWord = (level: Level): string => words.status.levels[level];
