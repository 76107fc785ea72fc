/** What may come of a request: let through as it is, let through on terms, answered with nothing, or refused (SPEC 5). */
import type { AnswerForm, ComposedList, Verb } from '../domain/policy.ts';
import type { RefusalReason } from '../domain/refusal.ts';
import type { RequestTarget } from '../domain/request.ts';
import type { CameraView } from './camera-view.ts';

export type AccessVerdict =
  /** The target is the one to send: perhaps with a narrowed query. */
  | { readonly kind: 'allowed'; readonly target: RequestTarget; readonly obligations?: Obligations }
  /** Nothing that the caller may see is left: the answer is this JSON, and nobody needs to be asked. */
  | { readonly kind: 'nothing-visible'; readonly answer: string }
  | { readonly kind: 'refused'; readonly reason: RefusalReason };

/** What is still to be done before sending, or with the answer. */
export interface Obligations {
  readonly view: CameraView;
  /** Whose cameras must be visible; the NVR is asked for them. */
  readonly owners?: readonly OwnerQuestion[];
  /** The body is read, and judged, before it is sent. */
  readonly body?: BodyRule;
  /** One call for each camera, their lists joined. */
  readonly fanout?: { readonly parameter: string; readonly cameras: readonly string[] };
  readonly answer?: AnswerForm;
  /** JSON for when the NVR has nothing of any camera, which is nobody's business. */
  readonly empty?: string;
  /** The query was narrowed already: the events backend, which is our own, needs no second look. */
  readonly isRewritten?: boolean;
  /** Only the events backend can narrow this answer. */
  readonly ownData?: boolean;
  /** What the gate makes in the place of the NVR's answer, where the NVR keeps the events. */
  readonly composed?: ComposedList;
  /** Each message of the WebSocket is judged, both ways. */
  readonly messages?: MessageObligations;
  /** Offers of live pictures are judged: that of the body, or those in the messages of the WebSocket. */
  readonly signalling?: SignallingObligations;
}

export interface SignallingObligations {
  /** Whether the caller may send sound to the camera. */
  readonly mayTalk: boolean;
}

export interface MessageObligations {
  /** What the role may not do with its cameras. */
  readonly denied: readonly Verb[];
}

/** What an id is the id of. */
export const OWNER_KINDS = ['event', 'review', 'export', 'export-file', 'case'] as const;
export type OwnerKind = (typeof OWNER_KINDS)[number];

export interface OwnerQuestion {
  readonly of: OwnerKind;
  readonly ids: readonly string[];
  /** In a list the NVR skips ids that it does not know; an id in the path must be there. */
  readonly mustExist: boolean;
}

export interface BodyRule {
  /** Locators whose source is `body`. */
  readonly locators: readonly string[];
  readonly adminFields: readonly string[];
}

export const refused = (reason: RefusalReason): AccessVerdict => ({ kind: 'refused', reason });
