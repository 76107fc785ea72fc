/** The route table's rows: who may use an operation, and where it names a camera (SPEC 5). */
import type { BodyShape } from './body-shape.ts';
import type { Locator, Narrowing, Paging, PrefixPlace, StartedKind, TimePlace } from './policy-terms.ts';
import type { ParameterForms } from './query-shape.ts';

export const ACCESS_LEVELS = ['public', 'any', 'camera', 'unrestricted', 'admin', 'none'] as const;
/** `any`: every known role; `camera`: callers who may see the named cameras; `unrestricted`: admin and viewer; `none`: no caller. */
export type Access = (typeof ACCESS_LEVELS)[number];

/** What `auth.roles.<name>.deny` can take from a role on its own cameras. `talk`: sound sent to a camera's loudspeaker. */
export const VERBS = ['live', 'history', 'export', 'ptz', 'talk'] as const;
export type Verb = (typeof VERBS)[number];

/** What a response shows: live pictures or sound, recorded ones, or an export. `signalling`: live ones that do not pass here. */
export const VIEWS = ['live', 'history', 'export', 'signalling'] as const;
export type Views = (typeof VIEWS)[number];

/**
 * Forms of answers that the gate can narrow to a caller's cameras, whatever the NVR. `array`: elements that name their camera;
 * `one`: an object that names it; `nested`: objects that name it, at any depth; `page`: one page of a list of elements that name
 * their camera; `streams`: an object by stream, or one stream; `times`: elements that name no camera, and tell their time to a
 * caller who sees nothing older than a moment.
 */
export const COMMON_FORMS = ['array', 'one', 'nested', 'streams', 'times', 'page'] as const;
export type CommonForm = (typeof COMMON_FORMS)[number];
/** Forms that an adapter narrows: `cases` of exports, which name no camera; `stats`, `metrics` and `config` of the NVR. */
export const ADAPTER_FORMS = ['cases', 'stats', 'metrics', 'config'] as const;
export type AdapterForm = (typeof ADAPTER_FORMS)[number];
export const RESPONSE_FORMS = [...COMMON_FORMS, ...ADAPTER_FORMS] as const;
export type ResponseForm = (typeof RESPONSE_FORMS)[number];
export const isCommonForm = (form: ResponseForm): form is CommonForm => COMMON_FORMS.some((known) => known === form);

/** What `{name:shape}` in a row's path takes; a plain `{name}` takes any segment. */
// biome-ignore format: a table
export const PATH_SHAPES = {
  date:         /^\d{4}-\d{2}-\d{2}$/,
  month:        /^\d{4}-\d{2}$/,
  'two-digits': /^\d{2}$/,
  /** Seconds since 1970, with a fraction or without. */
  number:       /^\d{1,12}(?:\.\d{1,9})?$/,
  id:           /^[\w-]+(?:\.[\w-]+)*$/,
  /** A secret in the one spelling that is compared here: servers read others as the same one. */
  uuid:         /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
  /** `index-f1-v1.m3u8` */
  file:         /^[\w-]+(?:\.[\w-]+)*$/,
  /** `utc`, and `Europe,Berlin`: the NVR writes a comma in the place of a time zone's slash. */
  zone:         /^[A-Za-z][\w+-]*(?:,[A-Za-z][\w+-]*){0,2}$/,
} as const;
export type PathShape = keyof typeof PATH_SHAPES;

/**
 * What of live signalling a row takes. `true`: offers to a stream server that would take what they send for a camera's; `whep`:
 * offers to a server that only sends, whose data channels are its own; `candidates`: those that follow an offer.
 */
export type Signalling = boolean | (typeof SIGNALLING)[number];
export const SIGNALLING = ['whep', 'candidates'] as const;

export interface PolicyRow {
  /** GET stands for HEAD too; `WS` is a WebSocket upgrade; `ANY` every method. */
  readonly methods: readonly string[];
  /** `/api/{camera}/latest.{extension}`: `{name}` is one segment or a part of one, `{name:shape}` one of that shape, `{name...}` the remainder, or one segment and more before others. */
  readonly path: string;
  readonly access: Access;
  readonly cameras?: readonly Locator[];
  /** Absent: named cameras are judged, and nothing else is narrowed. */
  readonly narrow?: Narrowing;
  /** What the answer looks like, where the answer itself is narrowed. */
  readonly answer?: ResponseForm;
  /** The member of the answer's objects that names their camera; absent: `camera`. */
  readonly named_by?: string;
  /** The members of the answer, at any depth, that only admins get. */
  readonly hidden?: readonly string[];
  /** The members of the answer, at any depth, that hold addresses of the server itself: they are written below its prefix. */
  readonly addresses?: readonly string[];
  /** How the list comes in pages, where the answer is one. */
  readonly paging?: Paging;
  /** Where the row names times. Without it a caller who sees back to a moment is refused. */
  readonly times?: readonly TimePlace[];
  readonly by_prefix?: readonly PrefixPlace[];
  /** The response body when the caller may see none of it; default: an empty list. */
  readonly empty?: unknown;
  /** The verb that a role may be denied. */
  readonly verb?: Verb;
  /** What a role gets that is denied the verb: `empty`, the empty response. Absent: a refusal. */
  readonly denied?: 'empty';
  /** What the response shows, for the ledger; absent: no pictures and no sound. */
  readonly views?: Views;
  /** The parameters that all but admins may send, each once; absent: any. */
  readonly query?: ParameterForms;
  /** What the JSON body may hold; `any`: it is not read. Of Postern's own rows the route itself judges it. */
  readonly body?: BodyShape | 'any';
  /** Fields of a JSON body, at any depth, that only an admin may send. */
  readonly admin_fields?: readonly string[];
  /** Query parameters that only an admin may send. */
  readonly admin_parameters?: readonly string[];
  /** Offers of live pictures: those in the body, or in the messages of a WebSocket, are judged for all but admins. */
  readonly signalling?: Signalling;
  /**
   * The response names something of the row's cameras that is started: `job`, in the JSON field `job_id`; `session`, in the
   * parameter `id` of the addresses of a playlist; `whep`, a session of live pictures, whose secret ends `Location`.
   */
  readonly starts?: StartedKind;
  /** The streams and cameras that are named must be known ones, for all but admins. */
  readonly known?: true;
  /** Changes state, though not for admins only. */
  readonly writes?: boolean;
  /** A parameter right behind a fixed start is a camera name, and fixed routes come first. */
  readonly dynamic?: boolean;
  /** Credentials are presented here, so the proxy secret is asked for although the route is public. */
  readonly secret?: boolean;
  /** A caller who must set up a second factor first needs it for that, or to leave. */
  readonly enrolment?: boolean;
  /** Whether an API token that was made for the curtain may use it, and nothing else. */
  readonly curtain?: true;
  /** Whether an admin may read it as another person would get it. */
  readonly view_as?: true;
  /** A page to begin at: the first that a person may open is the start page. A camera that it names is the person's first. */
  readonly page?: true;
  /** Whether a screen may use the row of Postern's own. */
  readonly screen?: true;
  /** Whether the row is below a link: the path stands for one of the NVR, which is judged in its place. */
  readonly link?: boolean;
  readonly note?: string;
  /** A row of Postern's own table: Postern serves the path itself, and no request for it reaches the NVR. */
  readonly own?: boolean;
  /** The exception: Postern takes its part of the request and forwards the rest. */
  readonly forwarded?: boolean;
  /**
   * Whether the response is compressed (Postern's own rows): it holds no secret beside text of a stranger, so its length may
   * tell of its content.
   */
  readonly compressed?: boolean;
  /** Where the row stands. */
  readonly file?: string;
  readonly line: number;
}
