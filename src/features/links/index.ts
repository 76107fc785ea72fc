/** Links: one thing of one camera, shown without an account to each holder of the address (SPEC 13). */
import { unfit } from '../../accounts/http/kernel.ts';
import { createLoginLimiter } from '../../accounts/login/login-limiter.ts';
import { derivedKey } from '../../accounts/second-factor/sealing.ts';
import { findSigningSecret } from '../../accounts/sessions/signing-secret.ts';
import { rateLimit } from '../../domain/rate-limit.ts';
import { bound } from '../../routes/own-route.ts';
import type { CommandServices, FeatureParts, FeatureServices, OpenFeature, OpenForCommand } from '../feature.ts';
import { linksSection } from './keys.ts';
import { createLinkJudge } from './link-judge.ts';
import { LINK_PAGE_ROUTES } from './link-page.ts';
import { LINK_ROUTES } from './link-routes.ts';
import { createLinkPasses, createLinks, createViewers, linkIdentities, PINS } from './links.ts';
import { openingPart } from './openings.ts';

export const links: FeatureParts = {
  keys: { links: linksSection },
  removedKeys: { 'links.enabled': 'links.max_lifetime: 0 turns links off, and any other length turns them on' },
  routes: [...LINK_ROUTES, ...LINK_PAGE_ROUTES],
  open: openLinks,
  openForCommand,
};

/** Old links, by address: a messenger that shows one again and again keeps no person out. */
const BAD_SECRETS = rateLimit('60/minute');

function openLinks({ store, steadyClock: clock, keyFor }: FeatureServices): OpenFeature {
  const passes = createLinkPasses(keyFor(PINS));
  const openings = store.part(openingPart);
  const linkLimiter = createLoginLimiter({ clauses: BAD_SECRETS, clock });
  return {
    identities: (rules) => linkIdentities(createLinks(rules, passes), createLinks(rules, passes, linkLimiter)),
    under({ services, destinations, rules }) {
      const viewers = createViewers(services, openings);
      const judge = createLinkJudge(services.settings, destinations, rules);
      const own = { links: createLinks(services, passes, linkLimiter), viewers, openings, passes, judge };
      const all = { ...services, ...own };
      return {
        routes: [...bound(LINK_ROUTES, all), ...bound(LINK_PAGE_ROUTES, all)],
        enter: viewers.enter,
        visitorFault: judge.faultOf,
      };
    },
  };
}

/** A PIN cannot be given to `explain`: for a link with one the answer is that it is missing. */
const NO_PASSES = { viewerIn: () => undefined };

function openForCommand({ store, secretPlaces }: CommandServices): OpenForCommand {
  /** The key of PINs is the service's: it is read when a PIN is given. */
  const pinHash = async (linkId: string, pin: string): Promise<string> => {
    const secret = await findSigningSecret(secretPlaces, 'refuse');
    if (!secret.ok) throw unfit('fields-invalid', secret.error, 400, 'pin-invalid');
    return createLinkPasses(derivedKey(secret.value.key, PINS)).pinHash(linkId, pin);
  };
  return {
    identities: (rules) => linkIdentities(createLinks(rules, NO_PASSES)),
    routes: (services) =>
      bound<never>(LINK_ROUTES, { ...services, openings: store.part(openingPart), passes: { pinHash } } as never),
  };
}
