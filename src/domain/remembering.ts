/** How long it may be used again what was found out of a caller. */
export interface Remembering {
  /** Another text after any change of accounts, roles and revocations. */
  readonly version: () => string;
  /** Unix seconds: what was found out is good within one second. */
  readonly now: () => number;
}
