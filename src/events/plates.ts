/** Licence plates asked for as they stand, or by a pattern (interface 4.1, `recognized_license_plate`). */
import { RE2JS } from 're2js';
import type { EventCondition } from '../domain/events/event-question.ts';
import { isPlatePattern, platesFault } from '../domain/events/plate-patterns.ts';
import { err, ok, type Result } from '../domain/result.ts';
import { fault, type Parsed, parseList } from './parse-value.ts';

const LONGEST_PATTERN = 64;
/** No plate is longer; what is stored as one may be. */
const LONGEST_PLATE = 64;
const NONE = 'None';

export function parsePlates(text: string): Parsed<EventCondition> {
  const members = parseList(text);
  if (!members.ok) return members;
  const names = members.value.filter((member) => member !== NONE);
  const orNone = names.length < members.value.length;
  const refused = platesFault(names);
  if (refused !== undefined) return fault('value_error', refused);
  const plates = names.filter((name) => !isPlatePattern(name));
  const patterns = names.filter(isPlatePattern).map(parsePattern);
  for (const pattern of patterns) if (!pattern.ok) return fault('value_error', pattern.error);
  const tests = patterns.flatMap((pattern) => (pattern.ok ? [pattern.value] : []));
  return ok({ kind: 'plate', isWanted: { plates, ...(tests.length > 0 ? { matches: anyOf(tests) } : {}) }, orNone });
}

type PlateTest = (plate: string) => boolean;

/**
 * A backtracking engine would let a viewer keep the backend busy for hours with one pattern. RE2's time grows with
 * the plate alone, and it refuses what it cannot do so: look-around and back references.
 */
function parsePattern(pattern: string): Result<PlateTest, string> {
  if (pattern.length > LONGEST_PATTERN)
    return err(`The pattern "${pattern}" is longer than ${LONGEST_PATTERN} characters`);
  try {
    const compiled = RE2JS.compile(pattern);
    return ok((plate) => compiled.test(plate));
  } catch {
    return err(`The pattern "${pattern}" is not a regular expression`);
  }
}

/** Found anywhere in the plate. The same plates come by again and again: each is tested once. */
function anyOf(tests: readonly PlateTest[]): PlateTest {
  const known = new Map<string, boolean>();
  return (plate) => {
    if (plate.length > LONGEST_PLATE) return false;
    const isMatch = known.get(plate) ?? tests.some((test) => test(plate));
    known.set(plate, isMatch);
    return isMatch;
  };
}
