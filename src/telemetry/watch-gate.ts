/** What the gate does, as metrics and log lines: a decision, a failure, a finished answer (SPEC 9). */
import type { ServerResponse } from 'node:http';
import type { Caller } from '../domain/caller.ts';
import { REFUSALS, type RefusalReason } from '../domain/refusal.ts';
import type { RequestFacts } from '../domain/request.ts';
import { codeClassOf, DECISION_OF_REASON } from './decision-results.ts';
import type { Logs } from './log.ts';
import type { Metrics } from './metrics.ts';

/** As much of an admission as is counted and logged. */
interface Judged {
  readonly kind: 'admitted' | 'nothing-visible' | 'refused';
  readonly client: { readonly address: string };
  readonly caller: Caller | undefined;
  readonly reason?: RefusalReason;
}

export function watchGate(metrics: Metrics, logs: Logs) {
  const decisions = logs.named('service.gate');
  const access = logs.named('service.access');
  return {
    onDecision(request: RequestFacts, admission: Judged, requestId: string): void {
      metrics.decision(request.listener, admission.reason ? DECISION_OF_REASON[admission.reason] : 'allow');
      if (admission.reason === undefined) return;
      decisions.info({ requestId, ...who(admission), ...what(request), reason: admission.reason }, 'refused');
    },
    onFailure(reason: RefusalReason, request: RequestFacts, requestId: string): void {
      metrics.upstreamError();
      decisions.warn({ requestId, ...what(request), reason }, REFUSALS[reason].message);
    },
    onUnknownRoute(): void {
      metrics.unknownRoute();
    },
    onFault(fault: unknown, requestId: string): void {
      decisions.error({ requestId, err: fault }, 'a request ended in a fault of our own');
    },
    onAnswered(
      request: RequestFacts,
      response: ServerResponse,
      admission: Judged | undefined,
      requestId: string,
    ): void {
      metrics.answered(request.listener, codeClassOf(response.statusCode, response.writableFinished));
      const outcome = { status: response.statusCode, whole: response.writableFinished };
      access.debug({ requestId, ...(admission ? who(admission) : {}), ...what(request), ...outcome }, 'answered');
    },
  };
}

const who = ({ caller, client }: Judged) => ({ user: caller?.name, role: caller?.role, address: client.address });

const LONGEST_LOGGED_PATH = 512;

/** The query stays out: it may hold a token, and nobody's camera is anybody else's business. */
const what = ({ listener, method, target }: RequestFacts) => ({
  listener,
  method,
  path: target.split('?', 1)[0]?.slice(0, LONGEST_LOGGED_PATH),
});
