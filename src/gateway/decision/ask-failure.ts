/** Why a question that the gate asked the NVR was not answered, as the reason of a refusal (SPEC 5). */

import { UnexpectedForm } from '../../domain/json.ts';
import type { RefusalReason } from '../../domain/refusal.ts';
import { upstreamFailure } from './upstream-failure.ts';

/** The NVR's own failure, a response that is no JSON, or no NVR at all. */
export function askFailure(fault: unknown): RefusalReason {
  if (fault instanceof SyntaxError) return 'nvr-unexpected-form';
  if (fault instanceof Error && 'status' in fault) return 'nvr-failed';
  if (fault instanceof FilterEnded) return 'filter-ended';
  if (fault instanceof TooManyQuestions) return 'nvr-busy';
  if (fault instanceof UnexpectedForm) return 'nvr-unexpected-form';
  return fault instanceof Error ? upstreamFailure(fault) : 'nvr-unreachable';
}

/** The caller, or all together, have so many questions under way and waiting that this one was not sent. */
export class TooManyQuestions extends Error {}

/** The thread that filters large responses ended in the middle of one: a fault of this program, or its memory, and not of the NVR. */
export class FilterEnded extends Error {}
