/** A place that cannot be read just now, but may be in a moment: a file that is being replaced, locked, or lies on a failing disk (SPEC 7). */

const CODE = 'UNREADABLE';

export const unreadable = (message: string, cause: unknown): Error =>
  Object.assign(new Error(message, { cause }), { code: CODE });

export const isUnreadable = (fault: unknown): boolean =>
  fault instanceof Error && 'code' in fault && fault.code === CODE;
