/** The work of narrowing one response, from bytes to bytes: the same in this thread and in the narrowing thread (SPEC 5). */
import { type PlainView, withSight } from '../../access/camera-view.ts';
import type { OwnConfig } from '../../access/narrow/narrow-config.ts';
import { type NarrowedResponse, narrowResponse } from '../../access/narrow/narrow-response.ts';
import type { ResponseForm } from '../../domain/policy.ts';
import { joinLists } from './join-lists.ts';

/** Plain data, so that a thread can be given it. */
export type NarrowTask =
  | {
      readonly kind: 'narrow';
      readonly form: ResponseForm;
      readonly body: Uint8Array<ArrayBuffer>;
      readonly view: PlainView;
      readonly ownConfig?: OwnConfig;
      readonly seenCases?: ReadonlySet<string>;
    }
  /** Lists of one camera each, as JSON. Undefined for no form: then they name no camera. */
  | {
      readonly kind: 'join';
      readonly lists: readonly string[];
      readonly form: ResponseForm | undefined;
      readonly view: PlainView;
      readonly limit: number | undefined;
    };

export type NarrowedBytes =
  | { readonly kind: 'narrowed'; readonly body: Uint8Array<ArrayBuffer> }
  | Exclude<NarrowedResponse, { kind: 'narrowed' }>;

export function narrowNow(task: NarrowTask): NarrowedBytes {
  const narrowed = task.kind === 'narrow' ? narrowedBody(task) : joinLists(task.lists, task, withSight(task.view));
  return narrowed.kind === 'narrowed' ? { kind: 'narrowed', body: new TextEncoder().encode(narrowed.body) } : narrowed;
}

function narrowedBody({ form, body, view, ...known }: NarrowTask & { kind: 'narrow' }): NarrowedResponse {
  const text = decoded(body);
  return text === undefined ? { kind: 'unreadable' } : narrowResponse(form, text, { view: withSight(view), ...known });
}

/** Undefined of what is no UTF-8. */
function decoded(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return undefined;
  }
}
