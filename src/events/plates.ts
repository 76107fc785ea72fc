/** Licence plates asked for by name or by pattern. */
import type { EventCondition } from '../domain/event-question.ts';
import { ok } from '../domain/result.ts';
import { fault, type Parsed, parseList } from './parse-value.ts';

/** The reference's rule for what is a pattern; everything else is compared as it stands. */
const PATTERN = /^\^|[.[\]?+*]/;

export function parsePlates(text: string): Parsed<EventCondition> {
  const members = parseList(text);
  if (!members.ok) return members;
  if (members.value.some((member) => PATTERN.test(member)))
    return fault('value_error', 'Plate patterns are not supported: give whole plates');
  const plates = members.value.filter((member) => member !== 'None');
  return ok({ kind: 'plate', isWanted: { plates }, orNone: plates.length < members.value.length });
}
