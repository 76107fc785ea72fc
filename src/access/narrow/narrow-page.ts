/** Narrows what a server tells by members of its own names: one page of a list, and members that are for admins alone (SPEC 5, 20). */
import { isRecord, type JsonRecord } from '../../domain/json.ts';
import type { AnswerReading } from '../answer-reading.ts';
import type { CameraView } from '../camera-view.ts';
import { seesNamed, withoutForeignObjects } from './without-foreign.ts';

/** Undefined where it is no such page. A restricted reader gets one of the list as it would be without the others' elements. */
export function narrowPage(json: unknown, view: CameraView, { page, namedBy = 'camera' }: AnswerReading): unknown {
  const elements = page && isRecord(json) ? json[page.list] : undefined;
  if (!page || !Array.isArray(elements)) return undefined;
  if (view.clearance !== 'restricted') return json;
  const seen = elements.filter((element) => isRecord(element) && seesNamed(element[namedBy], view));
  const { size, number } = page.asked;
  // Other members may be sums over all elements: they are left out.
  return {
    [page.count]: seen.length,
    [page.pages]: Math.ceil(seen.length / size),
    [page.list]: withoutForeignObjects(seen.slice(number * size, (number + 1) * size), view),
  };
}

export function withoutMembers(json: unknown, names: readonly string[]): unknown {
  if (Array.isArray(json)) return json.map((element) => withoutMembers(element, names));
  if (!isRecord(json)) return json;
  const kept = Object.entries(json as JsonRecord).filter(([name]) => !names.includes(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, withoutMembers(value, names)]));
}
