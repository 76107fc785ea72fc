/** Notify: notices and the heads of the ledger go to the webhook of the configuration (SPEC 12). */
import { z } from 'zod';
import { never } from '../../config/schema/keys.ts';
import type { Settings } from '../../config/schema/schema.ts';
import { headerSecret, parsed } from '../../config/schema/value-types.ts';
import { publicAddress } from '../../domain/addresses.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import { createCounter } from '../../telemetry/series.ts';
import type { CommandServices, FeatureParts, FeatureServices, OpenFeature, OpenForCommand } from '../feature.ts';
import { createWebhook, WEBHOOK_RESULTS, type WebhookTarget } from './webhook.ts';

/** The keys `notify.*`. */
const notifySection = z
  .strictObject({
    webhook: parsed(parseWebhook).optional().meta({
      description:
        'Where changes of accounts are posted as JSON: logins from a new device or network, changed passwords and factors, new API tokens and invitations. http:// or https://, whose certificate is verified; no redirect is followed.',
      example: 'https://home.example.com/api/webhook/postern',
      widens: never,
      isSecret: true,
    }),
    webhook_secret: headerSecret().optional().meta({
      description:
        'Key of the signature in X-Postern-Signature (HMAC-SHA-256), by which the receiver knows that a message is genuine. Unset: messages are not signed.',
      example: '{SERVICE_WEBHOOK_SECRET}',
      widens: never,
    }),
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
    onFailing: (cause) =>
      log.warn(
        { cause },
        'a notice could not be posted to notify.webhook and is lost: check that address; told once until one gets through',
      ),
    onWorking: () => log.info('notices reach notify.webhook again'),
  });
  messages.onMessage(send);
  return { close };
}

/** A person waits for the command: one more try, and no more. */
const RETRY_SECONDS = [1] as const;

function openNotifyForCommand({ settings, clock, messages, warn }: CommandServices): OpenForCommand {
  const { send, settled } = createWebhook({
    target: () => webhookTarget(settings),
    clock,
    onResult: () => {},
    onFailing: (cause) => warn(`notify.webhook was not told of it (${cause}); it stands on the page of the account`),
    onWorking: () => {},
    retrySeconds: RETRY_SECONDS,
  });
  messages.onMessage(send);
  return { close: settled };
}

/** Undefined: nothing is sent. */
function webhookTarget(settings: Settings): WebhookTarget | undefined {
  const { notify } = settings as Settings & { readonly notify: z.output<typeof notifySection> };
  const { webhook: url, webhook_secret: secret } = notify;
  if (url === undefined) return undefined;
  const { server } = settings;
  return { url, secret, service: server.public_url && publicAddress(server.public_url, '/') };
}
