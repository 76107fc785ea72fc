/** Links: one thing of one camera, shown without an account to whoever has the address (SPEC 13). */
import { unfit } from '../../accounts/http/kernel.ts';
import { findSigningSecret, type SecretPlaces } from '../../accounts/sessions/signing-secret.ts';
import { bound } from '../../routes/own-route.ts';
import type { FeatureParts } from '../feature.ts';
import { LINK_PAGE_ROUTES } from './link-page.ts';
import { createLinkPasses } from './link-pass.ts';
import { LINK_ROUTES } from './link-routes.ts';

export const links: FeatureParts = {
  routes: [...LINK_ROUTES, ...LINK_PAGE_ROUTES],
  open: () => ({
    under: ({ services }) => ({ routes: [...bound(LINK_ROUTES, services), ...bound(LINK_PAGE_ROUTES, services)] }),
  }),
  openForCommand: ({ settings, secretPlaces }) => ({
    routes: (services) =>
      bound<never>(LINK_ROUTES, {
        ...services,
        longest: settings.links.max_lifetime,
        passes: { pinHash: pinHashAt(secretPlaces) },
      } as never),
  }),
};

/** The key of PINs is the service's: a command reads it when a PIN is given. */
const pinHashAt =
  (places: SecretPlaces) =>
  async (linkId: string, pin: string): Promise<string> => {
    const secret = await findSigningSecret(places, 'refuse');
    if (!secret.ok) throw unfit('pin-invalid', secret.error);
    return createLinkPasses(secret.value.key).pinHash(linkId, pin);
  };
