/** Tells of changes of accounts: in the audit log, on the page of the account, and to the webhook of the configuration (SPEC 12). */
import type { Logger } from 'pino';
import type { Audit } from '../../accounts/audit.ts';
import { createNotices, type Notices } from '../../accounts/notices/notices.ts';
import type { Settings } from '../../config/schema/schema.ts';
import { publicAddress } from '../../domain/addresses/public-url.ts';
import type { Clock } from '../../domain/clock.ts';
import { createWebhook, type ServiceMessage, type WebhookTarget } from '../../notify/webhook.ts';
import type { Store } from '../../store/open-store.ts';
import type { Metrics } from '../../telemetry/metrics.ts';

export interface TellingDeps {
  /** The settings that are active. */
  readonly settings: () => Settings;
  readonly store: Pick<Store, 'notices'>;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly log: Logger;
  readonly metrics: Metrics;
}

export interface Telling extends Notices {
  /** What is told of the service itself, to the webhook of the configuration; returns at once. */
  readonly sendOfService: (message: ServiceMessage) => void;
}

export function openTelling({ settings, store, clock, audit, log, metrics }: TellingDeps): Telling {
  const webhook = createWebhook({
    target: () => webhookTarget(settings()),
    clock,
    onResult: (result) => metrics.webhooks.add(1, result),
    onFailing: (cause) =>
      log.warn(
        { cause },
        'a notice could not be posted to notify.webhook and is lost: check that address; told once until one gets through',
      ),
    onWorking: () => log.info('notices reach notify.webhook again'),
  });
  const notices = createNotices({
    noticeStore: store.notices,
    clock,
    audit,
    send: webhook.send,
    onFault: (fault) =>
      log.warn({ err: fault }, 'an event of an account could not be written to the store: it is missing on its page'),
  });
  return {
    audit: notices.audit,
    sendOfService: webhook.send,
    async close() {
      await notices.close();
      await webhook.close();
    },
  };
}

/** Undefined: nothing is sent. */
export function webhookTarget({ notify, server }: Settings): WebhookTarget | undefined {
  if (notify.webhook === undefined) return undefined;
  const service = server.public_url && publicAddress(server.public_url, '/');
  const { webhook: url, webhook_secret: secret } = notify;
  return { url, secret, service };
}
