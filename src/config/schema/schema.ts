/** Every configuration key with its type, default and sentence (interface 2.5; SPEC 1): the one source of conf/. */
import { z } from 'zod';
import { err, ok, type Result } from '../../domain/result.ts';
import type { KeyPath } from '../problems/problems.ts';
import { authSection } from './auth-schema.ts';
import { higher, keysOf, lower, never, placeAmong, toTrue } from './keys.ts';
import { eventsSection, nvrSection } from './nvr-schema.ts';
import { proxySection } from './proxy-schema.ts';
import { loggerSection, serverSection, tlsSection, uiSection } from './server-schema.ts';
import { storeSection } from './store-schema.ts';
import { headerSecret, parsed, wholeSecondsOrZero } from './value-types.ts';

const DAY = 86_400;

const linksSection = z
  .strictObject({
    max_lifetime: wholeSecondsOrZero(60, 366 * DAY)
      .prefault(30 * DAY)
      .describe(
        'Seconds for which a link may be made at most. A link shows one event, review, recording or live camera to everybody who has its address, until its end. 0: no link works, those made before too.',
      )
      .meta({ widens: higher }),
  })
  .prefault({})
  .describe('Links: one thing of one camera, shown without an account.');

const MOST_DAYS = 36_500;

/** Former versions took a plain number for days. Nothing as short as that can be meant in seconds. */
const daysOfFormerVersions = (written: unknown): unknown =>
  typeof written === 'number' && written >= 1 && written <= MOST_DAYS ? written * DAY : written;

const ledgerSection = z
  .strictObject({
    retention: z
      .preprocess(daysOfFormerVersions, wholeSecondsOrZero(DAY, MOST_DAYS * DAY))
      .prefault('90d')
      .describe(
        'How long records are kept, at least 1d. Older ones are deleted by whole days; the hash of the last one is kept, so that the rest can still be verified. 0: nothing is recorded but what people are told of their own accounts, for 90d. From and to 0 it changes at a restart only.',
      )
      .meta({ widens: lower }),
    visible_to_viewers: z
      .boolean()
      .prefault(false)
      .describe(
        'Whether users who are no admins see who else watched the cameras that they see themselves. They always see their own records.',
      )
      .meta({ widens: toTrue }),
  })
  .prefault({})
  .describe('The ledger: who watched what, and what was changed.');

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

export const settingsSchema = z
  .strictObject({
    server: serverSection,
    tls: tlsSection,
    auth: authSection,
    proxy: proxySection,
    nvr: nvrSection,
    events: eventsSection,
    store: storeSection,
    links: linksSection,
    notify: notifySection,
    ledger: ledgerSection,
    logger: loggerSection,
    ui: uiSection,
  })
  .transform((settings) => ({
    ...settings,
    events: { ...settings.events, source: settings.events.source ?? (settings.nvr.url ? 'nvr' : 'store') },
  }));

/** The configuration, parsed: keys as in the file, defaults filled in, file paths absolute. Durations are seconds, sizes bytes. */
export type Settings = DeepReadonly<z.output<typeof settingsSchema>>;

type DeepReadonly<Value> = Value extends string | number | boolean | null | undefined
  ? Value
  : Value extends ReadonlyMap<infer Key, infer Entry>
    ? ReadonlyMap<Key, DeepReadonly<Entry>>
    : Value extends readonly (infer Entry)[]
      ? readonly DeepReadonly<Entry>[]
      : { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> };

/** Every key, by its place. */
export const KEYS = keysOf(settingsSchema);

/** Whether the value at a path is a secret, or an entry of one that is a list. */
export const isSecretKey = (path: KeyPath): boolean =>
  path.some((_, at) => KEYS.get(placeAmong(KEYS, path.slice(0, at + 1)))?.isSecret);
