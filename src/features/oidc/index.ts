/** OpenID Connect: people log in by an identity provider beside the password, or in its place (SPEC 16). */
import { createSealer } from '../../accounts/second-factor/sealing.ts';
import type { Services } from '../../app/services.ts';
import { bound } from '../../routes/own-route.ts';
import type { FeatureParts, FeatureServices, OpenFeature } from '../feature.ts';
import { createCallbackPlaces } from './attempt.ts';
import { oidcKeys, oidcRules } from './keys.ts';
import { type OidcMetrics, oidcMetrics } from './metrics.ts';
import { beginAttempt, OIDC_ROUTES, type OidcServices } from './oidc-routes.ts';
import { openProviderSessions } from './provider-sessions.ts';
import { type ActiveProvider, activeProviders, providerFaults } from './providers.ts';
import { pageOf, providerButtons } from './sign-in-pages.ts';
import { SIGN_IN_ROUTES } from './sign-in-routes.ts';

const ROUTES = [...OIDC_ROUTES, ...SIGN_IN_ROUTES];

export const oidc: FeatureParts<OidcMetrics> = {
  authKeys: oidcKeys,
  rules: oidcRules,
  routes: ROUTES,
  metrics: oidcMetrics,
  faults: providerFaults,
  open: openOidc,
};

function openOidc(lasting: FeatureServices, oidcMetrics: OidcMetrics): OpenFeature {
  const callbacks = createCallbackPlaces();
  const attempts = createSealer(lasting.keyFor('postern: attempts to sign in with a provider, 1'));
  const withOwn = (services: Services): OidcServices => ({
    ...services,
    attempts,
    callbacks,
    oidcMetrics,
    // Made below, for the same configuration.
    active: services.providers.list as readonly ActiveProvider[],
  });
  return {
    providers: (settings) => ({
      list: activeProviders(settings, lasting, oidcMetrics),
      sessions: openProviderSessions(settings, lasting),
      /** Comes back to the page that asked. */
      ask: (ctx, services, { user: { name: user }, session }, { name: provider, returnTo }) =>
        beginAttempt(ctx, withOwn(services), {
          provider,
          purpose: { kind: 'prove', user, session },
          returnTo: pageOf(ctx, returnTo),
        }),
    }),
    under: ({ services }) => ({
      routes: bound(ROUTES, withOwn(services)),
      onLoginPage: (ctx, wanted) => providerButtons(ctx, wanted, services.providers.list),
    }),
  };
}
