/** The words of route tables: who may use an operation, and the terms by which a row names cameras, times and narrowing (SPEC 5). */

export const ACCESS_LEVELS = ['public', 'any', 'camera', 'unrestricted', 'admin', 'none'] as const;
/** `any`: every known role; `camera`: callers who may see the named cameras; `unrestricted`: admin and viewer; `none`: no caller. */
export type Access = (typeof ACCESS_LEVELS)[number];

/** What `auth.roles.<name>.deny` can take from a role on its own cameras. `talk`: sound sent to a camera's loudspeaker. */
export const VERBS = ['live', 'history', 'export', 'ptz', 'talk'] as const;
export type Verb = (typeof VERBS)[number];

/** What a response shows: live pictures or sound, recorded ones, or an export. `signalling`: live ones that do not pass here. */
export const VIEWS = ['live', 'history', 'export', 'browse', 'signalling'] as const;
export type Views = (typeof VIEWS)[number];

export const VIEWING_KINDS = ['live', 'history', 'export'] as const;
export type ViewingKind = (typeof VIEWING_KINDS)[number];
/** What is recorded of pictures that were shown; `browse`: small ones beside a list, which are no viewing. */
export const PICTURE_KINDS = [...VIEWING_KINDS, 'browse'] as const;

export const isViewingKind = (kind: string): kind is ViewingKind => VIEWING_KINDS.some((known) => known === kind);
export const isPictureKind = (kind: string): boolean => PICTURE_KINDS.some((known) => known === kind);

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
 * offers to a server that only sends, whose data channels are its own; `candidates`: ICE candidates that follow an offer.
 */
export type Signalling = boolean | (typeof SIGNALLING)[number];
export const SIGNALLING = ['whep', 'candidates'] as const;

/** Things whose camera the NVR is asked for by their id: an adapter says how. */
const LOOKED_UP_KINDS = ['event', 'review', 'export', 'export-file', 'case'] as const;
export type LookedUpKind = (typeof LOOKED_UP_KINDS)[number];
export const isLookedUpKind = (kind: string): kind is LookedUpKind => LOOKED_UP_KINDS.some((known) => known === kind);

/** Things that a request starts, and that later requests name by an id alone: the NVR cannot be asked for their cameras. */
export const STARTED_KINDS = ['job', 'session', 'whep'] as const;
export type StartedKind = (typeof STARTED_KINDS)[number];
export const isStartedKind = (kind: string): kind is StartedKind => STARTED_KINDS.some((known) => known === kind);

/** Things that belong to a camera by their id. */
export const OWNER_KINDS = [...LOOKED_UP_KINDS, ...STARTED_KINDS] as const;
export type OwnerKind = (typeof OWNER_KINDS)[number];
export const isOwnerKind = (kind: string): kind is OwnerKind => OWNER_KINDS.some((known) => known === kind);

/** Names that an adapter reads: those of files, and a camera of which the NVR gives frames of several. */
const READ_NAME_KINDS = ['frames', 'file:preview', 'file:review-thumb', 'file:clip', 'file:image'] as const;
export type ReadNameKind = (typeof READ_NAME_KINDS)[number];
/** Names that tell their camera by themselves, with the NVR's cameras and streams known. */
export const NAME_KINDS = ['camera', 'stream', ...READ_NAME_KINDS] as const;
export type NameKind = (typeof NAME_KINDS)[number];

/** `event_ids`, or `camera` of each element of `list`: `items[].camera`. */
export interface BodyPlace {
  readonly name: string;
  readonly list?: string;
}

/** Where a request names cameras: `path:camera`, `stream:query:src`, `event:body:ids`, `body:items[].camera`. */
export interface Locator extends BodyPlace {
  readonly kind: NameKind | OwnerKind;
  readonly source: 'path' | 'query' | 'body';
}

/** The description of an API writes a field of a list's elements likewise. */
export const writtenPlace = ({ name, list }: BodyPlace): string => (list === undefined ? name : `${list}[].${name}`);

export const writtenLocator = ({ kind, source, ...place }: Locator): string =>
  `${kind === 'camera' ? '' : `${kind}:`}${source}:${writtenPlace(place)}`;

/** Lists without a camera parameter that the gate makes of what the NVR tells by camera. */
export const COMPOSED_LISTS = ['explore', 'labels', 'sub_labels', 'plates'] as const;
export type ComposedList = (typeof COMPOSED_LISTS)[number];

export const NARROWINGS = [
  'check',
  'lookup',
  'post-check',
  'post-filter',
  'rewrite-body',
  'per-message',
  'deny',
] as const;
/** How a request or its answer is narrowed to a role's cameras. `list`: what the gate makes where the NVR keeps the events. */
export type Narrowing =
  | { readonly how: (typeof NARROWINGS)[number] }
  | { readonly how: 'rewrite' | 'fanout'; readonly parameter: string }
  | { readonly how: 'own-data'; readonly list?: ComposedList };

export const writtenNarrowing = (narrow: Narrowing): string => {
  if (narrow.how === 'own-data') return narrow.list ? `own-data:${narrow.list}` : 'own-data';
  return 'parameter' in narrow ? `${narrow.how}:${narrow.parameter}` : narrow.how;
};

/** Where recorded times stand. `usual`: how many seconds back the NVR goes without the parameter; absent: to the first. */
export type TimePlace =
  | { readonly in: 'query'; readonly name: string; readonly usual?: number }
  /** The parameter has its times in RFC 3339. `isBound`: an earlier one, or none, is refused, and not set to the moment. */
  | { readonly in: 'time'; readonly name: string; readonly isBound: boolean }
  | { readonly in: 'path' | 'file'; readonly name: string }
  | { readonly in: 'hour' | 'utc-hour' }
  | { readonly in: 'id' | 'answer' | 'own-route' }
  | { readonly in: 'own-data'; readonly list?: ComposedList };

/** A header of the response by which the NVR tells that it may have taken another camera's picture. `since`: the first release that does. */
export interface RefusedHeader {
  readonly name: string;
  readonly since?: string;
}

/** When the NVR finds what it shows by the beginning of the camera's name. `recent`: where that began in the current hour. */
export type PrefixPlace =
  | { readonly when: 'always' }
  | ({ readonly when: 'header' } & RefusedHeader)
  | { readonly when: 'value'; readonly field: string; readonly value: string }
  | { readonly when: 'recent-id' }
  | { readonly when: 'recent-path'; readonly name: string }
  | { readonly when: 'recent-body'; readonly place: BodyPlace };

/** Forms of a single value whose meaning an adapter says. */
const ADAPTER_VALUES = ['clips-file'] as const;
export type AdapterValue = (typeof ADAPTER_VALUES)[number];
export const isAdapterValue = (kind: string): kind is AdapterValue => ADAPTER_VALUES.some((known) => known === kind);
/** Forms of a single value, beside text of a length and one of several words. */
export const VALUE_FORMS = ['boolean', 'number', 'id', 'base64url', ...ADAPTER_VALUES, 'push-endpoint'] as const;
export type ValueForm = (typeof VALUE_FORMS)[number];

export type BodyShape =
  | { readonly kind: 'object'; readonly fields: Readonly<Record<string, BodyField>> }
  | { readonly kind: 'list'; readonly of: BodyShape }
  /** `longest` in UTF-16 code units. */
  | { readonly kind: 'text'; readonly longest: number }
  | { readonly kind: 'word'; readonly words: readonly string[] }
  | { readonly kind: ValueForm };

export interface BodyField {
  readonly shape: BodyShape;
  readonly isRequired: boolean;
}

/** A body without a field: what a row takes that names none. */
export const NO_FIELDS: BodyShape = { kind: 'object', fields: {} };

/** Forms of a value, beside text of a length and one of several words. `time`: RFC 3339; `number`: digits, perhaps with a fraction. */
export const PARAMETER_FORMS = ['id', 'number', 'time', 'uuid'] as const;

export type ParameterShape =
  | Extract<BodyShape, { readonly kind: 'text' | 'word' }>
  | { readonly kind: (typeof PARAMETER_FORMS)[number] };

export type ParameterForms = Readonly<Record<string, { readonly shape: ParameterShape; readonly isRequired: boolean }>>;

/** Where names stand in a JSON answer. */
export type NamesPlace =
  /** The configuration of an NVR, which also says zones, streams and names for people: the adapter reads it. */
  | { readonly in: 'config' }
  /** The keys of the object below `path`. */
  | { readonly in: 'keys'; readonly path: readonly string[] }
  /** The text below `field` of each element of the list below `path`; no field: the element itself. */
  | { readonly in: 'elements'; readonly path: readonly string[]; readonly field: readonly string[] };

export const DEFAULT_ALIVE = '/';

const RELEASE = /^(?<major>\d+)\.(?<minor>\d+)/;

/** Compares major and minor number; 0 when one of the two is not known. */
export function compareReleases(one: string | undefined, other: string | undefined): number {
  const [left, right] = [one, other].map((text) => RELEASE.exec(text ?? '')?.groups);
  if (!left || !right) return 0;
  const major = Number(left['major']) - Number(right['major']);
  return major === 0 ? Number(left['minor']) - Number(right['minor']) : major;
}
