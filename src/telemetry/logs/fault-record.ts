/** An error as it is logged: type, message, code, stack and cause; other properties may hold secrets (SPEC 9). */

export interface FaultRecord {
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  /** Frames only, a line each: nothing in them comes from outside. */
  readonly stack?: readonly string[];
  readonly cause?: FaultRecord;
}

const DEEPEST_CAUSE = 5;

export function faultRecord(fault: unknown, depth = 0): FaultRecord {
  if (!(fault instanceof Error)) return { type: typeof fault, message: String(fault) };
  const code = 'code' in fault && typeof fault.code === 'string' ? fault.code : undefined;
  const stack = framesOf(fault);
  return {
    type: fault.name,
    message: fault.message,
    ...(code !== undefined && { code }),
    ...(stack.length > 0 && { stack }),
    ...(fault.cause !== undefined && depth < DEEPEST_CAUSE && { cause: faultRecord(fault.cause, depth + 1) }),
  };
}

const framesOf = ({ stack = '' }: Error): string[] =>
  stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .map((line) => line.trim());
