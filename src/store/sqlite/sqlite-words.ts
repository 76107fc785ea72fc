/** A search for words, as a function for statements: SQLite itself folds the case of ASCII alone. */

import type { SQLOutputValue } from 'node:sqlite';
import { foldCase } from '../../domain/events/event-question.ts';
import { parsedJson } from '../../domain/json.ts';

/** `word` is folded. 1 where the sub-label or the description in the JSON of `data` holds it, else 0. */
export function hasWord(subLabel: SQLOutputValue, data: SQLOutputValue, word: SQLOutputValue): number {
  const holds = (text: unknown): boolean => typeof text === 'string' && foldCase(text).includes(String(word));
  return holds(subLabel) || holds(descriptionIn(String(data))) ? 1 : 0;
}

function descriptionIn(json: string): unknown {
  // The NVR's own file may hold anything.
  return json.includes('"description"') ? Object(parsedJson(json)).description : undefined;
}
