/** Posts messages to `notify.webhook`: signed, with retries, from one bounded queue for each receiver and person (SPEC 12). */
import { createHmac } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { ServiceMessage } from '../../domain/accounts/notice.ts';
import { createPersonQueues, createTaskQueue } from '../../domain/async.ts';
import { type Clock, unixSeconds } from '../../domain/clock.ts';

/** The address of the webhook, from the operator's configuration alone: no request names an address here. */
export interface WebhookTarget {
  readonly url: string;
  /** Key of the HMAC; without one there is no signature. */
  readonly secret: string | undefined;
  /** `server.public_url`: which service tells. */
  readonly service: string | undefined;
}

/** `failed`: given up, or never tried because too many of that person waited. */
export const WEBHOOK_RESULTS = ['sent', 'failed'] as const;
type WebhookResult = (typeof WEBHOOK_RESULTS)[number];

export interface WebhookDeps {
  /** The target as it is now; undefined: nothing is sent. */
  readonly target: () => WebhookTarget | undefined;
  readonly clock: Clock;
  readonly onResult: (result: WebhookResult) => void;
  /** Called once when notices begin to fail, with the cause, and once when one gets through again. */
  readonly onFailing: (cause: string) => void;
  readonly onWorking: () => void;
  /** The pauses between the attempts for one notice. */
  readonly retrySeconds?: readonly number[];
  /** How long an answer is waited for. */
  readonly answerMilliseconds?: number;
}

/** Messages of one person. */
const MOST_WAITING = 200;
const POSTS_AT_ONCE = 4;
/** A receiver that takes longer has not taken the message: it is sent again. */
const ANSWER_MS = 10_000;
const RETRY_SECONDS: readonly number[] = [2, 10, 60, 300];

export function createWebhook(deps: WebhookDeps) {
  const { target, onResult, retrySeconds = RETRY_SECONDS } = deps;
  const closing = new AbortController();
  const { enter } = createTaskQueue(POSTS_AT_ONCE);
  let isFailing = false;

  /** `none`: there is no receiver any more. */
  const attempt = async (message: ServiceMessage): Promise<Fault | 'none' | undefined> => {
    const leave = await enter();
    const where = target();
    const fault = where && !closing.signal.aborted ? await post(message, where, closing.signal, deps) : 'none';
    leave();
    return fault;
  };
  const deliver = async (message: ServiceMessage): Promise<void> => {
    let cause = '';
    for (const pause of [0, ...retrySeconds]) {
      if (pause > 0) await setTimeout(pause * 1000, undefined, closing).catch(() => {}); // ended by the close
      const fault = await attempt(message);
      if (fault === 'none') return onResult('failed');
      if (fault === undefined) {
        if (isFailing) deps.onWorking();
        isFailing = false;
        return onResult('sent');
      }
      cause = fault.cause;
      if (fault.isFinal) break;
    }
    onResult('failed');
    if (!isFailing) deps.onFailing(cause);
    isFailing = true;
  };
  const { add, settled } = createPersonQueues(MOST_WAITING, deliver);
  return {
    /** Returns at once. */
    send(message: ServiceMessage): void {
      const where = target();
      if (!where) return;
      if (closing.signal.aborted || !add(`${message.user ?? ''} ${where.url}`, message)) onResult('failed');
    },
    /** Resolves when nothing waits. */
    settled,
    /** What still waits is dropped. */
    async close(): Promise<void> {
      closing.abort();
      await settled();
    },
  };
}

interface Fault {
  readonly cause: string;
  /** The same message would be refused again. */
  readonly isFinal: boolean;
}

const isFinal = (status: number): boolean => status < 500 && status !== 408 && status !== 429;

/** Undefined when the other side took it. Certificates are verified, and no redirect is followed. */
async function post(
  message: ServiceMessage,
  { url, secret, service }: WebhookTarget,
  closing: AbortSignal,
  { clock, answerMilliseconds = ANSWER_MS }: WebhookDeps,
): Promise<Fault | undefined> {
  const body = JSON.stringify({ ...message, service: service ?? null });
  const signature = secret === undefined ? {} : { 'X-Postern-Signature': signBody(body, secret, unixSeconds(clock)) };
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'User-Agent': 'Postern', ...signature },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([closing, AbortSignal.timeout(answerMilliseconds)]),
    });
    await response.body?.cancel();
    return response.ok ? undefined : { cause: `status ${response.status}`, isFinal: isFinal(response.status) };
  } catch (fault) {
    return { cause: describeFault(fault), isFinal: false };
  }
}

/** `t=<Unix seconds>,v1=<hex of HMAC-SHA-256 over "<t>.<body>">`: the time lets the other side refuse what is replayed. */
export function signBody(body: string, secret: string, at: number): string {
  const second = Math.floor(at);
  return `t=${second},v1=${createHmac('sha256', secret).update(`${second}.${body}`).digest('hex')}`;
}

/** The cause without the address: it may hold a secret. */
function describeFault(fault: unknown): string {
  const cause = fault instanceof Error && fault.cause instanceof Error ? fault.cause : fault;
  const code: unknown = Object(cause).code;
  if (typeof code === 'string') return code;
  return fault instanceof Error ? fault.name : 'unknown';
}
