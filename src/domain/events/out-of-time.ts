/** A question that was given up because it took longer than it may (SPEC 7). */
import type { Deadline } from './event-question.ts';

const CODE = 'OUT_OF_TIME';

export const outOfTime = (): Error => Object.assign(new Error('the query took too long'), { code: CODE });

export const isPast = (deadline: Deadline | undefined): boolean =>
  deadline !== undefined && performance.now() > deadline.at;

export const isOutOfTime = (fault: unknown): boolean =>
  fault instanceof Error && 'code' in fault && fault.code === CODE;
