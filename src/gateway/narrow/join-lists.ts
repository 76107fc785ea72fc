/** One list of several: each element once, in order, and no more of them than were asked for (SPEC 5, `fanout`). */
import type { CameraView } from '../../access/camera-view.ts';
import { type NarrowedResponse, narrowResponse } from '../../access/narrow/narrow-response.ts';
import { memberOf } from '../../access/recorder-layout.ts';
import { isNestedTooDeep } from '../../domain/json.ts';
import type { ResponseForm } from '../../domain/policy.ts';

export interface JoinRules {
  /** Undefined where the elements name no camera. */
  readonly form: ResponseForm | undefined;
  /** The query's limit, by which the NVR cut each list; undefined for none. */
  readonly limit: number | undefined;
}

/** `lists`: JSON of one list for each camera. */
export function joinLists(lists: readonly string[], { form, limit }: JoinRules, view: CameraView): NarrowedResponse {
  const elements = new Map<string, unknown>();
  for (const text of lists) {
    const list = listIn(text);
    if (!list) return { kind: 'unreadable' };
    for (const element of list) elements.set(JSON.stringify(element), element);
  }
  const inOrder = [...elements].sort(
    ([one, first], [other, second]) => timeOf(first) - timeOf(second) || (one < other ? -1 : 1),
  );
  const joined = `[${inOrder.map(([text]) => text).join(',')}]`;
  // An NVR that does not know the parameter sent the elements of all cameras, once for each camera.
  const narrowed = form ? narrowResponse(form, joined, { view }) : ({ kind: 'narrowed', body: joined } as const);
  if (narrowed.kind !== 'narrowed' || limit === undefined || !form) return narrowed;
  return { kind: 'narrowed', body: JSON.stringify(JSON.parse(narrowed.body).slice(0, limit)) };
}

/** Rows of the timeline are sorted by time, names by the alphabet. */
const timeOf = (element: unknown): number => Number(memberOf(element, 'timestamp') ?? 0);

function listIn(text: string): readonly unknown[] | undefined {
  if (isNestedTooDeep(text)) return undefined;
  try {
    const json: unknown = JSON.parse(text);
    return Array.isArray(json) ? json : undefined;
  } catch {
    return undefined;
  }
}
