/** The keys of notify: `notify.*`. */
import { z } from 'zod';
import { never } from '../../config/schema/keys.ts';
import type { Settings } from '../../config/schema/schema.ts';
import { headerSecret, parsed } from '../../config/schema/value-types.ts';
import { err, ok, type Result } from '../../domain/result.ts';

export const notifySection = z
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

/** The keys of notify in the configuration. */
export const notifyKeys = (settings: Settings): z.output<typeof notifySection> =>
  (settings as Settings & { readonly notify: z.output<typeof notifySection> }).notify;
