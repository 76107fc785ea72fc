/** What the canary must know of an NVR to look for leaks: lists of things, names of files, places of names. Data alone (SPEC 15). */

/** Kinds of things that a request can name, each of one camera. */
export type Thing = 'camera' | 'stream' | ListedThing | 'export-file' | 'case' | 'file';
/** Kinds that the NVR has lists of. */
export type ListedThing = 'event' | 'review' | 'export';

export interface CanarySeeds {
  readonly lists: readonly SeedList[];
  /** What an id in a path is of, by the literal segment before it. */
  readonly folders: Readonly<Record<string, Thing>>;
  /** The longest folder first. */
  readonly files: readonly SeedFile[];
  /** Query parameters by which some route of the NVR names a thing. The first that fits the path counts. */
  readonly parameters: readonly SeedParameter[];
  /** Lists of names that events have, by their paths. */
  readonly nameLists: Readonly<Record<string, NameList>>;
  /** Paths of pictures and films that cost the NVR much, and tell nothing of other cameras. */
  readonly costly: RegExp;
  readonly answers: AnswerPlaces;
}

export interface SeedList {
  readonly of: ListedThing;
  readonly path: string;
  /** Whether it takes `cameras` and `limit`; otherwise it is asked for as a whole. */
  readonly isByCamera: boolean;
  /** Further parameters. */
  readonly query?: Readonly<Record<string, string>>;
  /** A parameter by which nothing older than a moment is listed. */
  readonly since?: string;
  /** The field with the time at which something was recorded, in Unix seconds. */
  readonly time?: string;
  /** The field with the path of its file. */
  readonly file?: string;
  /** The field with the id of the case that it belongs to. */
  readonly case?: string;
}

export interface SeedFile {
  readonly folder: string;
  /**
   * The name of a file: `{camera}`, `{time}`, and the id of an `{event}` or a `{review}`, or the thing itself that is a file.
   * Absent: a name there says nothing of its camera.
   */
  readonly name?: string | { readonly of: 'export-file' };
}

export interface SeedParameter {
  readonly name: string;
  readonly of: 'camera' | 'stream' | ListedThing;
  /** A part of the paths where it means that; absent: all. */
  readonly in?: string;
}

export interface NameList {
  /** The parameter that asks for events of one name. */
  readonly parameter: string;
  /** Where an event has its names. */
  readonly at: readonly string[];
}

/** Where an answer may name a camera. */
export interface AnswerPlaces {
  /** Patterns of what stands before a camera's name in the name of a file, behind which a time follows. */
  readonly beforeTime: readonly string[];
  /** Patterns of folders whose entries are named for cameras. */
  readonly folders: readonly string[];
  /** Fields that hold an object by camera, beside `cameras` and `camera`. */
  readonly maps: readonly string[];
  /** The path of the configuration, whose foreign cameras stay by name alone. */
  readonly config?: string;
  /** Objects by stream: the answer itself, or a member of what a key holds. */
  readonly streams: readonly { readonly path: string; readonly key?: string; readonly member?: string }[];
}

/** The seeds of an NVR of which only cameras and streams are known. */
export const NO_SEEDS: CanarySeeds = {
  lists: [],
  folders: {},
  files: [],
  parameters: [
    { name: 'camera', of: 'camera' },
    { name: 'cameras', of: 'camera' },
    { name: 'src', of: 'stream' },
  ],
  nameLists: {},
  costly: /\.(?:mp4|gif)$/,
  answers: { beforeTime: [], folders: [], maps: [], streams: [] },
};
