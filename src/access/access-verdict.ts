/** The verdict of authorization: allowed as it is, allowed with obligations, an empty response, or refused (SPEC 5). */
import type {
  BodyShape,
  ComposedList,
  Locator,
  OwnerKind,
  RefusedHeader,
  ResponseForm,
  SIGNALLING,
  StartedKind,
  Verb,
} from '../domain/policy.ts';
import type { RefusalReason } from '../domain/refusal.ts';
import type { RequestTarget } from '../domain/request.ts';
import type { PrefixBodyRule } from './by-prefix.ts';
import type { CameraView } from './camera-view.ts';
import type { AnswerReading } from './query.ts';
import type { RecorderLayout } from './recorder-layout.ts';

/** What authorization knows besides the request. */
export interface Surroundings {
  /** The NVR's cameras. Undefined until the NVR was first read: a guess could show too much. */
  readonly layout: RecorderLayout | undefined;
  /** Unix seconds: roles may see so far back only. */
  readonly now: number;
}

export type AccessVerdict =
  /** The target is the one to send: perhaps with a narrowed query. */
  | { readonly kind: 'allowed'; readonly target: RequestTarget; readonly obligations?: Obligations }
  /** The caller may see nothing of it: the response is this JSON, and the NVR is not asked. */
  | { readonly kind: 'nothing-visible'; readonly body: string }
  /** `parameter`: the name of the one in the query that is not accepted. */
  | { readonly kind: 'refused'; readonly reason: RefusalReason; readonly parameter?: string };

/** What is still to be done before the request is sent, or with the response. */
export interface Obligations {
  readonly view: CameraView;
  /** Ids whose cameras must be visible; the NVR is asked for the cameras. */
  readonly owners?: readonly OwnerQuestion[];
  /** The body is read, and judged, before it is sent. */
  readonly body?: BodyRule;
  /** The NVR is asked once for each camera, and the lists are joined. */
  readonly fanout?: { readonly parameter: string; readonly cameras: readonly string[] };
  readonly responseForm?: ResponseForm;
  /** How the response is read, where its members have names of the server's own. */
  readonly reading?: AnswerReading;
  /** JSON sent in the place of the NVR's 404: a 404 would tell that no camera has anything. */
  readonly empty?: string;
  /** The query was narrowed already: the events backend honours it, so its response needs no filter. */
  readonly isRewritten?: boolean;
  /** The members of the response that hold addresses of the server itself. */
  readonly addresses?: readonly string[];
  /** What the response says was started, and its cameras. */
  readonly startedFor?: StartedThing;
  /** The response is refused if it has this header: the NVR may have taken another camera's picture. */
  readonly refusedHeader?: RefusedHeader;
  /** Only the events backend can narrow this response. `list`: what the gate makes in its place, where the NVR keeps the events. */
  readonly ownData?: { readonly list: ComposedList | undefined };
  /** Whether the response may hold things that are older than the caller may see: it must be looked at. */
  readonly timesInAnswer?: boolean;
  /** Seconds by which a clip begins earlier than the event that it is of. */
  readonly padding?: number;
  /** Each message of the WebSocket is judged, both ways. */
  readonly messages?: MessageObligations;
  /** The path below which the NVR has a link's playlist and its segments; the addresses in it must stay there. */
  readonly playlistAt?: string;
  /** Offers of live pictures are judged, or what follows them: in the body, or in the messages of the WebSocket. */
  readonly signalling?: SignallingObligations;
}

export interface StartedThing {
  readonly kind: StartedKind;
  /** The name of who started it: a link or screen, of its maker. */
  readonly by: string;
  readonly cameras: readonly string[];
}

export interface SignallingObligations {
  /** Absent: offers to a stream server that would take what they send for a camera's. */
  readonly kind?: (typeof SIGNALLING)[number];
  /** Whether the caller may send sound to the camera. */
  readonly mayTalk: boolean;
}

export interface MessageObligations {
  /** What the role may not do with its cameras. */
  readonly denied: readonly Verb[];
}

export interface OwnerQuestion {
  readonly of: OwnerKind;
  /** All of them must exist and be of visible cameras: an unknown one is answered as a foreign one is. */
  readonly ids: readonly string[];
  /** Seconds by which what is asked for begins earlier. */
  readonly padding?: number;
  /** Cameras that the request names beside the id, which must be of one of them: then an unknown one passes. */
  readonly beside?: readonly string[];
  /** Unix seconds: what began since then is found by the beginning of its camera's name. */
  readonly byPrefixSince?: number;
}

export interface BodyRule {
  /** Locators whose source is `body`. */
  readonly locators: readonly Locator[];
  readonly adminFields: readonly string[];
  /** When the NVR finds what the body asks for by the beginning of a camera's name. */
  readonly byPrefix?: PrefixBodyRule;
  /** The fields that may be sent; absent: all. */
  readonly shape?: BodyShape;
  /** Whether other fields pass as well: those of an admin. */
  readonly otherFieldsPass?: true;
}

export const refused = (reason: RefusalReason): AccessVerdict => ({ kind: 'refused', reason });
