/** Notify: notices, and messages about the service, go to the webhook of the configuration (SPEC 12). */

import { createHmac } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import { key, never } from '../../config/schema/keys.ts';
import type { Settings } from '../../config/schema/schema.ts';
import { headerSecret } from '../../config/schema/value-types.ts';
import type { ServiceMessage } from '../../domain/accounts/notice.ts';
import { publicAddress } from '../../domain/addresses.ts';
import { createPersonQueues, createTaskQueue } from '../../domain/async.ts';
import { type Clock, unixSeconds } from '../../domain/clock.ts';
import { err, faultMessage, ok, type Result } from '../../domain/result.ts';
import { createBoundedFetch } from '../../outbound/bounded-fetch.ts';
import { parsed } from '../../routes/shapes.ts';
import { watchFault } from '../../telemetry/readiness.ts';
import { createCounter } from '../../telemetry/series.ts';
import type { CommandServices, FeatureParts, FeatureServices, OpenFeature, OpenForCommand } from '../feature.ts';

/** The keys `notify.*`. */
// biome-ignore format: a table
const notifySection = z
  .strictObject({
    webhook: key(parsed(parseWebhook).optional(), { widens: never, isSecret: true, example: 'https://home.example.com/api/webhook/postern' },
      'Where changes of accounts are posted as JSON: logins from a new device or network, changed passwords and factors, new API tokens and invitations. http:// or https://, whose certificate is verified; no redirect is followed.'),
    webhook_secret: key(headerSecret().optional(), { widens: never, example: '{SERVICE_WEBHOOK_SECRET}' },
      'Key of the signature in X-Postern-Signature (HMAC-SHA-256), by which the receiver knows that a message is genuine. Unset: messages are not signed.'),
  })
  .prefault({})
  .describe('Messages to another service.');

/** What is wrong is said without the value, which may hold a secret. */
function parseWebhook(text: string): Result<string, string> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (!isWeb) return err('is not an address: write https://<host>/<path>');
  return url.username === '' && url.password === ''
    ? ok(url.href)
    : err('has a user name or a password in it: write them into the path or the query, or leave them out');
}

export const notify: FeatureParts<NotifyMetrics> = {
  keys: { notify: notifySection },
  metrics: notifyMetrics,
  open: openNotify,
  openForCommand: openNotifyForCommand,
};

type NotifyMetrics = ReturnType<typeof notifyMetrics>;

// biome-ignore format: a table
function notifyMetrics() {
  return {
    webhooks: createCounter('postern_webhook_notices_total', 'Notices for notify.webhook: taken by the other side, or lost after the last attempt, in a full queue or at the stop of the service.', [['result', WEBHOOK_RESULTS]]),
  };
}

function openNotify({ clock, logs, messages, activeSettings }: FeatureServices, metrics: NotifyMetrics): OpenFeature {
  const log = logs.named('service.notify');
  const { send, close } = createWebhook({
    target: () => webhookTarget(activeSettings()),
    clock,
    onResult: (result) => metrics.webhooks.add(1, result),
    onFault: (cause) =>
      log.warn(
        { cause },
        'a notice could not be posted to notify.webhook and is lost: check that address; told once until one gets through',
      ),
    onReturn: () => log.info('notices reach notify.webhook again'),
  });
  messages.onMessage(send);
  return { close };
}

/** A person waits for the command: one more try, and no more. */
const COMMAND_RETRY_SECONDS = [1] as const;

function openNotifyForCommand({ settings, clock, messages, warn }: CommandServices): OpenForCommand {
  const { send, settled } = createWebhook({
    target: () => webhookTarget(settings),
    clock,
    onResult: () => {},
    onFault: (cause) => warn(`notify.webhook was not told of it (${cause}); it stands on the page of the account`),
    retrySeconds: COMMAND_RETRY_SECONDS,
  });
  messages.onMessage(send);
  return { close: settled };
}

/** The address of the webhook, from the operator's configuration alone: no request names an address here. Undefined: nothing is sent. */
function webhookTarget(settings: Settings) {
  const { notify } = settings as Settings & { readonly notify: z.output<typeof notifySection> };
  const { webhook: url, webhook_secret: secret } = notify;
  if (url === undefined) return undefined;
  const { server } = settings;
  /** `secret`: the key of the HMAC; without one there is no signature. `service`: which one tells. */
  return { url, secret, service: server.public_url && publicAddress(server.public_url, '/') };
}

type WebhookTarget = NonNullable<ReturnType<typeof webhookTarget>>;

/** `failed`: given up, or never tried because too many of that person waited. */
const WEBHOOK_RESULTS = ['sent', 'failed'] as const;
type WebhookResult = (typeof WEBHOOK_RESULTS)[number];

export interface WebhookDeps {
  /** The target as it is now; undefined: nothing is sent. */
  readonly target: () => WebhookTarget | undefined;
  readonly clock: Clock;
  readonly onResult: (result: WebhookResult) => void;
  /** Called once when notices begin to fail, with the cause. */
  readonly onFault: (cause: string) => void;
  /** Called once when one gets through again. */
  readonly onReturn?: () => void;
  /** The pauses between the attempts for one notice. */
  readonly retrySeconds?: readonly number[];
  /** How long an answer is waited for. */
  readonly answerSeconds?: number;
}

/** Messages of one person. */
const MOST_WAITING = 200;
const POSTS_AT_ONCE = 4;
/** A receiver that takes longer has not taken the message: it is sent again. */
const ANSWER_SECONDS = 10;
const RETRY_SECONDS: readonly number[] = [2, 10, 60, 300];

export function createWebhook(deps: WebhookDeps) {
  const { target, clock, onResult, retrySeconds = RETRY_SECONDS, answerSeconds = ANSWER_SECONDS } = deps;
  const closing = new AbortController();
  const { enter } = createTaskQueue(POSTS_AT_ONCE);
  const state = watchFault<string>(deps);
  const fetch = createBoundedFetch({ seconds: answerSeconds, bytes: 0 });

  const deliver = async (message: ServiceMessage): Promise<void> => {
    let cause: string | undefined;
    for (const pause of [0, ...retrySeconds]) {
      if (pause > 0) await setTimeout(pause * 1000, undefined, closing).catch(() => {}); // ended by the close
      const leave = await enter();
      const where = target();
      const fault = where && !closing.signal.aborted ? await post(message, where) : 'none';
      leave();
      if (fault === 'none') return onResult('failed'); // there is no receiver any more
      cause = fault?.cause;
      if (!fault || fault.isFinal) break;
    }
    onResult(cause === undefined ? 'sent' : 'failed');
    state.found(cause);
  };
  /** Undefined when the other side took it. */
  const post = async (message: ServiceMessage, { url, secret, service }: WebhookTarget): Promise<Fault | undefined> => {
    const body = JSON.stringify({ ...message, service: service ?? null });
    const headers = {
      'Content-Type': 'application/json',
      'User-Agent': 'Postern',
      ...(secret !== undefined && { 'X-Postern-Signature': signBody(body, secret, unixSeconds(clock)) }),
    };
    try {
      const { ok: isTaken, status } = await fetch(url, { method: 'POST', headers, body, signal: closing.signal });
      return isTaken ? undefined : { cause: `status ${status}`, isFinal: isFinal(status) };
    } catch (fault) {
      return { cause: faultMessage(fault), isFinal: false };
    }
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

/** `t=<Unix seconds>,v1=<hex of HMAC-SHA-256 over "<t>.<body>">`: the time lets the other side refuse what is replayed. */
function signBody(body: string, secret: string, at: number): string {
  const second = Math.floor(at);
  return `t=${second},v1=${createHmac('sha256', secret).update(`${second}.${body}`).digest('hex')}`;
}
