/** The outbox of the ledger: of what was recorded, notices and heads of the chains go to the webhook of the configuration (SPEC 12). */
import type { Settings } from '../../config/schema/schema.ts';
import { publicAddress } from '../../domain/addresses/public-url.ts';
import { type LedgerRecord, recordIdOf } from '../../domain/ledger.ts';
import { noticeOf } from '../../ledger/notices.ts';
import { createWebhook, type Webhook, type WebhookDeps, type WebhookTarget } from '../../notify/webhook.ts';

export interface Outbox extends Webhook {
  /** Returns at once. */
  sendNotices(written: readonly LedgerRecord[]): void;
}

/** `settings`: those that are active. */
export function openOutbox(settings: () => Settings, deps: Omit<WebhookDeps, 'target'>): Outbox {
  const webhook = createWebhook({ ...deps, target: () => webhookTarget(settings()) });
  return {
    ...webhook,
    sendNotices(written) {
      for (const record of written) {
        const notice = noticeOf(recordIdOf(record), record);
        if (notice) webhook.send(notice);
      }
    },
  };
}

/** Undefined: nothing is sent. */
function webhookTarget({ notify, server }: Settings): WebhookTarget | undefined {
  if (notify.webhook === undefined) return undefined;
  const service = server.public_url && publicAddress(server.public_url, '/');
  const { webhook: url, webhook_secret: secret } = notify;
  return { url, secret, service };
}
