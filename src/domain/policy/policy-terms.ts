/**
 * The terms of a route table's row, as they are read when the table is loaded (SPEC 5, 13). They are plain JSON: the tables that
 * are shipped are built to it.
 */

/** Things whose camera the NVR is asked for by their id: an adapter says how. */
export const LOOKED_UP_KINDS = ['event', 'review', 'export', 'export-file', 'case'] as const;
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
export const READ_NAME_KINDS = ['frames', 'file:preview', 'file:review-thumb', 'file:clip', 'file:image'] as const;
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

/** How a server gives a list in pages. */
export interface Paging {
  /** The members of the answer: the elements, how many there are on all pages, and how many pages. */
  readonly list: string;
  readonly count: string;
  readonly pages: string;
  /** The parameters of the query: how many elements a page has, and its number, from 0. */
  readonly size: string;
  readonly number: string;
  /** How many elements a page has where none is asked for. */
  readonly usual: number;
}

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
