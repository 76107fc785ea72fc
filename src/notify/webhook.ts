/** Posts what happened to accounts to `notify.webhook`: signed, with retries, each person's in order, from a bounded line in which persons take turns (SPEC 12). */
import { createHmac } from 'node:crypto';
import type { Notice } from '../domain/accounts/notice.ts';
import { type Clock, unixSeconds } from '../domain/clock.ts';
import { createFairLine } from '../domain/fair-line.ts';

/** The address of the webhook, from the operator's configuration alone: no request names an address here. */
export interface WebhookTarget {
  readonly url: string;
  /** Key of the HMAC; without one there is no signature. */
  readonly secret: string | undefined;
  /** `server.public_url`: which service tells. */
  readonly service: string | undefined;
}

/** `failed`: given up, or never tried because too many of that person waited. */
export type WebhookResult = 'sent' | 'failed';

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
}

/** What is told by the service itself, and on no page of an account. */
export interface ServiceMessage {
  readonly id: string;
  readonly kind: 'ledger-head';
  readonly at: number;
  readonly from: string | null;
  readonly detail: string;
}

type Message = Notice | ServiceMessage;

export interface Webhook {
  /** Returns at once. */
  send(message: Message): void;
  /** Resolves when nothing waits. */
  settled(): Promise<void>;
  /** What still waits is dropped. */
  close(): Promise<void>;
}

const MOST_WAITING = 200;
/** A receiver that takes longer has not taken the message: it is sent again. */
const ANSWER_MS = 10_000;
const RETRY_SECONDS: readonly number[] = [2, 10, 60, 300];

export function createWebhook(deps: WebhookDeps): Webhook {
  const { target, onResult, retrySeconds = RETRY_SECONDS } = deps;
  const waiting = createFairLine<Message>(MOST_WAITING);
  const closing = new AbortController();
  let running: Promise<void> | undefined;
  let isFailing = false;

  const deliver = async (notice: Message): Promise<void> => {
    let cause = '';
    for (const pause of [0, ...retrySeconds]) {
      await sleep(pause, closing.signal);
      const where = target();
      if (!where || closing.signal.aborted) return onResult('failed');
      const fault = await post(notice, where, closing.signal, deps);
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
  const run = async (): Promise<void> => {
    for (let notice = waiting.take(); notice; notice = waiting.take()) await deliver(notice);
    running = undefined;
  };
  return {
    send(notice) {
      if (!target()) return;
      if (closing.signal.aborted) return onResult('failed');
      if (waiting.add('user' in notice ? notice.user : '', notice)) onResult('failed');
      running ??= run();
    },
    settled: async () => running,
    async close() {
      closing.abort();
      await running;
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
  notice: Message,
  { url, secret, service }: WebhookTarget,
  closing: AbortSignal,
  { clock }: WebhookDeps,
): Promise<Fault | undefined> {
  const body = JSON.stringify(messageOf(notice, service));
  const signature =
    secret === undefined ? {} : { 'X-Postern-Signature': signatureOf(body, secret, unixSeconds(clock)) };
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'User-Agent': 'Postern', ...signature },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([closing, AbortSignal.timeout(ANSWER_MS)]),
    });
    await response.body?.cancel();
    return response.ok ? undefined : { cause: `status ${response.status}`, isFinal: isFinal(response.status) };
  } catch (fault) {
    return { cause: causeOf(fault), isFinal: false };
  }
}

/** `t=<Unix seconds>,v1=<hex of HMAC-SHA-256 over "<t>.<body>">`: the time lets the other side refuse what is replayed. */
export function signatureOf(body: string, secret: string, at: number): string {
  const second = Math.floor(at);
  return `t=${second},v1=${createHmac('sha256', secret).update(`${second}.${body}`).digest('hex')}`;
}

/** The body of a message. `user` is null when it is about the service. */
function messageOf(message: Message, service: string | undefined) {
  const { id, kind, at, from, detail } = message;
  const { user, by, agent }: Partial<Notice> = 'user' in message ? message : {};
  return {
    id,
    event: kind,
    at,
    user: user ?? null,
    by: by ?? null,
    address: from,
    agent: agent ?? null,
    detail: detail ?? null,
    service: service ?? null,
  };
}

/** The cause without the address: it may hold a secret. */
function causeOf(fault: unknown): string {
  const cause = fault instanceof Error && fault.cause instanceof Error ? fault.cause : fault;
  const code: unknown = Object(cause).code;
  if (typeof code === 'string') return code;
  return fault instanceof Error ? fault.name : 'unknown';
}

const sleep = (seconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (seconds === 0 || signal.aborted) return resolve();
    const timer = setTimeout(resolve, seconds * 1000);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
