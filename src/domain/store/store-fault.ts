/** What can be wrong with a database, its file or its disk: the reason a question or a change fails although it is right (SPEC 7, 9, 10). */

/** A metric label each, so no entry may hold anything from outside. */
export const STORE_FAULTS = ['locked', 'full', 'read-only', 'corrupt', 'missing', 'unreachable'] as const;
export type StoreFault = (typeof STORE_FAULTS)[number];

/** `message` says what happened, to which file, and the next step. */
export const storeFault = (kind: StoreFault, message: string, cause?: unknown): Error =>
  Object.assign(new Error(message, { cause }), { storeFault: kind });

/** Undefined for every other fault. */
export const findStoreFault = (fault: unknown): StoreFault | undefined =>
  fault instanceof Error && 'storeFault' in fault ? (fault.storeFault as StoreFault) : undefined;

/** Undefined when the check throws nothing. */
export function thrownBy(check: () => void): unknown {
  try {
    check();
    return undefined;
  } catch (fault) {
    return fault;
  }
}
