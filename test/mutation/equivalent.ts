/** Mutants that no test can notice, with the reason. */
export interface Equivalent {
  /** The end of the path of the module. */
  readonly file: string;
  /** A part of the line. */
  readonly on: string;
  readonly before: string;
  readonly after: string;
  readonly why: string;
}

export const EQUIVALENT: readonly Equivalent[] = [];
