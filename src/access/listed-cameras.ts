/** Names of cameras in the JSON answers of an NVR, by the place that its route table names (SPEC 20). */
import { isRecord } from '../domain/json.ts';
import type { NamesPlace } from '../domain/policy.ts';
import { memberOf } from './recorder-layout.ts';

/** Throws with what is missing: an answer of another form must not look like an NVR without cameras. */
export function namesIn(answer: unknown, place: Exclude<NamesPlace, { in: 'config' }>): readonly string[] {
  const found = below(answer, place.path);
  const at = place.path.length > 0 ? JSON.stringify(place.path.join('.')) : 'the answer';
  if (place.in === 'keys') {
    if (!isRecord(found) || Array.isArray(found)) throw new Error(`${at} is no object of cameras`);
    return Object.keys(found);
  }
  if (!Array.isArray(found)) throw new Error(`${at} is no list of cameras`);
  return found.map((element: unknown) => {
    const name = below(element, place.field);
    if (typeof name !== 'string') throw new Error(`an element of ${at} has no name`);
    return name;
  });
}

const below = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((found, field) => memberOf(found, field), value);
