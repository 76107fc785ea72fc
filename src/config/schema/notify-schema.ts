/** The keys of what is told elsewhere: the address that hears of changes of accounts. */
import { z } from 'zod';
import { err, ok, type Result } from '../../domain/result.ts';
import { headerSecret, parsed } from './value-types.ts';

export const notifySection = z
  .strictObject({
    webhook: parsed(parseWebhook).optional().meta({
      description:
        'Where changes of accounts are posted as JSON: logins from a new device or network, changed passwords and factors, new API tokens and invitations. http:// or https://, whose certificate is verified; no redirect is followed.',
      example: 'https://home.example.com/api/webhook/postern',
      widens: 'never',
    }),
    webhook_secret: headerSecret().optional().meta({
      description:
        'Key of the signature in X-Postern-Signature (HMAC-SHA-256), by which the receiver knows that a message is genuine. Unset: messages are not signed.',
      example: '{SERVICE_WEBHOOK_SECRET}',
      widens: 'never',
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
