/** Screens: displays that are paired by a person and show the person's cameras, without a password on them (SPEC 18). */
import { createLoginLimiter } from '../../accounts/login/login-limiter.ts';
import { rateLimit } from '../../domain/rate-limit.ts';
import { bound } from '../../routes/own-route.ts';
import type { FeatureIdentities, FeatureParts, FeatureServices, OpenFeature } from '../feature.ts';
import { screenCodePart } from './codes.ts';
import { PAIRING_ROUTES } from './pairing-routes.ts';
import { SCREEN_PAGE_ROUTES, SCREEN_ROUTES } from './screen-routes.ts';
import { createScreens, type Screens, screenSource } from './screens.ts';

const ROUTES = [...SCREEN_PAGE_ROUTES, ...PAIRING_ROUTES, ...SCREEN_ROUTES];

export const screens: FeatureParts = {
  routes: ROUTES,
  open: openScreens,
  openForCommand: () => ({
    identities: (rules) => identitiesBy(createScreens(rules)),
    routes: (services) => bound<never>(SCREEN_ROUTES, services as never),
  }),
};

/** A display makes one code in ten minutes, and another one when its page is loaded again. */
const CODES = rateLimit('10/minute;60/hour');
const BAD_SECRETS = rateLimit('60/minute');

function openScreens({ store, grantUses, steadyClock: clock }: FeatureServices): OpenFeature {
  const codes = store.part(screenCodePart);
  const codeMakers = createLoginLimiter({ clauses: CODES, clock });
  const screenLimiter = createLoginLimiter({ clauses: BAD_SECRETS, clock });
  return {
    identities: (rules) => identitiesBy(createScreens(rules), { grantUses, screenLimiter }),
    under({ services }) {
      const screens = createScreens(services);
      return {
        routes: bound(ROUTES, { ...services, screens, codes, codeMakers, screenLimiter }),
        async inProfile(ctx, { credential }) {
          if (credential.kind !== 'screen') return undefined;
          const cookie = await screens.cookieAgain(ctx.get('Cookie'), ctx.state);
          if (cookie !== undefined) ctx.append('Set-Cookie', cookie);
          return { screen: { name: credential.screenName, ends_at: credential.expiresAt ?? null } };
        },
      };
    },
  };
}

const identitiesBy = (screens: Screens, noting?: Parameters<typeof screenSource>[1]): FeatureIdentities => ({
  sources: [screenSource(screens, noting)],
  rechecks: { screen: screens.recheck },
});
