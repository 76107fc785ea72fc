/** A value or an error: parsers return it instead of throwing for bad input. */

export type Result<Value, Problem> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: Problem };

export const ok = <Value>(value: Value): Result<Value, never> => ({ ok: true, value });

export const err = <Problem>(error: Problem): Result<never, Problem> => ({ ok: false, error });

/** Undefined where it throws: readers of Node's do for whatever is not what it should be. */
export function attempt<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** Closes an exhaustive switch: a case that is added later fails to compile here. */
export function unreachable(value: never): never {
  throw new Error(`unreachable case: ${JSON.stringify(value)}`);
}

/** What a fault says: its message, or the value itself as text where something else was thrown. */
export const faultMessage = (fault: unknown): string => (fault instanceof Error ? fault.message : String(fault));
