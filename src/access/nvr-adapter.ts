/** The interface of an adapter: what one kind of NVR has of its own that no row of a route table can say (SPEC 20). */

import type { SharedThing } from '../domain/caller.ts';
import type { CameraName } from '../domain/names.ts';
import type { AdapterForm, AdapterValue, ComposedList, LookedUpKind, ReadNameKind } from '../domain/policy.ts';
import type { MessageObligations } from './access-verdict.ts';
import type { CameraView, Clearance } from './camera-view.ts';
import type { AnswerReading } from './query.ts';
import type { RecorderLayout } from './recorder-layout.ts';

/**
 * The rows of a route table name kinds of ids, file names, answers and lists by a word. An adapter says what the words mean for
 * one NVR. Its folder is `src/nvr/<name>/`; the head of a table names it. A word that it does not have denies.
 */
export interface NvrAdapter {
  readonly name: string;
  readonly cameras: CameraRules;
  /** Kinds of names that tell their camera by themselves, beside `camera` and `stream`. */
  readonly names: Words<ReadNameKind, NameRule>;
  /** Kinds of ids whose camera the NVR is asked for. */
  readonly owners: Words<LookedUpKind, OwnerRule>;
  /** Forms of answers, beside the forms that any NVR may have. */
  readonly answers: Words<AdapterForm, AnswerRule>;
  /** Lists without a camera parameter, made of what the NVR tells by camera. */
  readonly lists: Words<ComposedList, ListRule>;
  /** Forms of values in a body. */
  readonly values: Words<AdapterValue, (value: string) => boolean>;
  /** The messages of its WebSocket; undefined: rows cannot have `narrow: per-message`. */
  readonly messages: MessageRules | undefined;
  readonly things: ThingPaths;
  readonly queries: QueryRules;
  readonly events: EventRules;
  /** Whether a server behind reads something else into the path of these decoded segments than stands there. */
  readonly isMisread: (segments: readonly string[]) => boolean;
}

type Words<Word extends string, Rule> = Partial<Readonly<Record<Word, Rule>>>;

export interface CameraRules {
  /** Words that mean several cameras: a camera of that name would open the others. */
  readonly reserved: readonly string[];
  /** Reads the NVR's configuration; with `names`, these cameras alone. Throws with what is missing there. */
  readonly layoutOf: (config: unknown, names?: readonly CameraName[]) => RecorderLayout;
}

/** The cameras of one named thing: a caller who sees one of them may see it. Empty: for admin and viewer only. */
export type NamedCameras = readonly string[];

export interface NameRule {
  /** Each thing that the value names. `parameters` are those of the path. */
  readonly camerasOf: (
    value: string,
    layout: RecorderLayout,
    parameters: Readonly<Record<string, string>>,
  ) => readonly NamedCameras[];
  /** A value that names the camera; absent: none can be made. */
  readonly sample?: (camera: string) => string;
}

/** The thing that an id names. No camera: it exists and belongs to none. */
export interface OwnedThing {
  readonly cameras: readonly string[];
  /** Unix seconds: when the earliest of it began; undefined when that is not told. */
  readonly start: number | undefined;
}

export interface OwnerRule {
  readonly path: (id: string) => string;
  /** Reads the JSON that the NVR has at that path, or undefined for its 404. */
  readonly ownedIn: (json: unknown, id: string) => OwnedThing | undefined;
  /** Whether its cameras and its beginning never change. */
  readonly isLasting: boolean;
  /** Whether it is found by any name, such as that of a file, and not by an id alone. */
  readonly isByName?: true;
}

/** Asks the NVR in Postern's own name: the JSON of a 200 response. Rejects when it cannot be had. */
export type AskNvr = (path: string) => Promise<unknown>;

export interface AnswerRule {
  /** The readers for whom it is narrowed. */
  readonly concerns: readonly Clearance[];
  /** Whether the answer is read as JSON, or as the text that it is. */
  readonly reads: 'json' | 'text';
  /** What is left for the reader: JSON, or text; undefined where the answer has another form. */
  readonly narrow: (answer: unknown, reader: AnswerReader) => unknown;
  /** What else must be known: a part of Postern's configuration, or what the NVR is asked for, as plain data. */
  readonly knows?: 'own-config' | ((view: CameraView, ask: AskNvr) => Promise<unknown>);
  /** Whether `cameras.layoutOf` reads it. */
  readonly hasLayout?: true;
}

export interface AnswerReader {
  readonly view: CameraView;
  /** What `knows` gave. */
  readonly known?: unknown;
  /** How the answer is read, where its members have names of the server's own. */
  readonly reading?: AnswerReading | undefined;
}

/** The part of Postern's configuration that an NVR's pages read, in the place of the NVR's own accounts. */
export interface OwnConfig {
  readonly auth: {
    readonly enabled: boolean;
    /** Every role that a user can have, with its cameras. */
    readonly roles: Readonly<Record<string, readonly string[]>>;
    readonly refresh_time: number;
    readonly session_length: number;
    readonly cookie_name: string;
  };
  readonly proxy: { readonly logout_url: string | undefined };
}

export interface ListRule {
  /** Milliseconds for which a list may be given again. */
  readonly keptFor: number;
  /** Absent: the list has no limit. */
  readonly limit?: ListLimit;
  readonly compose: (composition: Composition) => Promise<readonly unknown[]>;
}

export interface ListLimit {
  /** The limit of what a caller is given. */
  readonly of: (asked: number | undefined) => number;
  /** That of the list from which it is cut: few differ, so that callers share them. */
  readonly composed: (limit: number) => number;
  readonly cut: (list: readonly unknown[], limit: number) => readonly unknown[];
}

export interface Composition {
  readonly view: CameraView;
  /** What `composed` of the rule's limit gives. */
  readonly limit: number | undefined;
  readonly ask: AskNvr;
}

export type InboundVerdict =
  /** The text to send: an admin's own, for all others one in which no key stands twice. */
  { readonly kind: 'passed'; readonly text: string } | { readonly kind: 'dropped' } | { readonly kind: 'malformed' };

export interface MessageRules {
  readonly fromClient: (text: string, view: CameraView, obligations: MessageObligations) => InboundVerdict;
  /** The text to pass on to others than admins, or undefined. */
  readonly fromNvr: (text: string, view: CameraView, obligations: MessageObligations) => string | undefined;
}

/** The paths of the NVR that a link stands for: a closed list for each kind of thing. */
export interface ThingPaths {
  /** Names below `/s/{secret}/`, and the paths behind them; empty where links of that kind cannot be made. */
  readonly filesOf: (thing: SharedThing) => Readonly<Record<string, string>>;
  /** The path below which the playlists and segments of the thing are; undefined where the NVR has none. */
  readonly playlistsOf: (thing: SharedThing) => string | undefined;
  /** The list of what is recorded of a camera in a span of Unix seconds; undefined where the NVR has none. */
  readonly recordingsAt: (camera: string, from: number, to: number) => string | undefined;
  /** The media type by the end of a path, where the end of a file's name does not say it. */
  readonly mediaTypes: readonly (readonly [end: RegExp, type: string])[];
}

/** Queries that could stall the NVR, by the segments of their paths with slashes between. */
export interface QueryRules {
  /** Paths of two segments below which the filters of events mean the same as for events. */
  readonly filtered: ReadonlySet<string>;
  /** The first segment of the paths below which pictures take these parameters: a height, or pictures a second. */
  readonly pictures: Readonly<Record<string, 'height' | 'rate'>>;
  /** Paths that walk from `after` to `before`, `scale` seconds a step. */
  readonly stepped: ReadonlySet<string>;
}

export interface DayRule {
  /** A path that takes `cameras` and `labels`, joined by commas or `all`, and `timezone`. */
  readonly path: string;
  /** `2026-11-22` each, in no order; undefined where the answer has another form. */
  readonly countedIn: (json: unknown) => readonly { readonly day: string; readonly count: number }[] | undefined;
}

/** Events that the NVR keeps, in the form of Postern's own interface. */
export interface EventRules {
  /** Where it counts them by day, and the days in its answer; undefined: the NVR counts none. */
  readonly days: DayRule | undefined;
  /** Paths of the NVR alone, which would otherwise be taken for those of one event. */
  readonly atNvr: readonly string[];
}

/** The adapter of an NVR of which nothing is known but the rows of its table: it has no word of its own, so what needs one is denied. */
export const NO_ADAPTER: NvrAdapter = {
  name: 'none',
  cameras: {
    reserved: [],
    layoutOf() {
      throw new Error('the head of the route table names no adapter that can read the configuration of the NVR');
    },
  },
  names: {},
  owners: {},
  answers: {},
  lists: {},
  values: {},
  messages: undefined,
  things: { filesOf: () => ({}), playlistsOf: () => undefined, recordingsAt: () => undefined, mediaTypes: [] },
  queries: { filtered: new Set(), pictures: {}, stepped: new Set() },
  events: { days: undefined, atNvr: [] },
  isMisread: () => false,
};
