/** How long something that was found out about a caller may be used again. */
export interface Remembering {
  /** Another text after any change of accounts, roles and revocations. */
  readonly version: () => string;
  /** Unix seconds: what was found out is good within one second. */
  readonly now: () => number;
}
