/** The shape of an attack vector: setup, bytes, and what may come of them. */

export interface HeaderPattern {
  readonly name: string;
  /** Absent: no value is allowed. May begin with `(?i)`. */
  readonly value?: string;
  /** Compare the name as a CGI-like server would: every run of other characters as one hyphen. */
  readonly normalize?: boolean;
}

export interface Sightings {
  readonly anything?: true;
  readonly headers?: readonly HeaderPattern[];
  readonly roles?: readonly string[];
  /** Patterns on the target as sent. */
  readonly paths?: readonly string[];
  /** Patterns on the path as a lenient server would read it. */
  readonly normalizedPaths?: readonly string[];
  readonly queryCameras?: readonly string[];
  readonly queryRaw?: readonly string[];
}

export interface Expectation {
  /** `close`: no answer is fine too. `reset`: the client leaves, and no answer is judged. */
  readonly status: readonly (number | 'close' | 'reset')[];
  readonly upstreamMustNotSee: Sightings;
  readonly upstreamMustSee?: { readonly headers: readonly HeaderPattern[] };
  readonly upstreamMaxRequests?: number;
  readonly clientMustNotSee?: string;
  /** Ours, beyond the format: for answers that Postern gives itself. */
  readonly clientMustSee?: string;
}

export interface TokenRecipe {
  readonly header: Readonly<Record<string, unknown>>;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly key: 'good' | 'good-hs384' | 'old' | 'empty' | 'none' | 'embedded' | 'garbage5';
}

export interface VectorSetup {
  readonly port: 'ext' | 'int';
  readonly mode: 'builtin' | 'proxy';
  readonly proxy?: Readonly<Record<string, unknown>>;
  readonly limiter?: string;
  readonly trusted_proxies?: readonly string[];
  readonly upstream?: string;
  readonly repeat?: number;
  readonly clientAction?: 'reset-before-answer';
  readonly upstreamMustCloseWithinMs?: number;
  readonly holdOpenMs?: number;
  readonly jwt?: Readonly<Record<string, TokenRecipe>>;
}

export interface Vector {
  readonly id: string;
  readonly class: string;
  readonly setup: VectorSetup;
  /** Latin-1 text of the bytes, with placeholders in double braces. */
  readonly raw: string;
  readonly expect: Expectation;
  readonly note?: string;
}
