/** Providers of OpenID Connect under one configuration (SPEC 16). */
import type { ActiveProvider } from '../../accounts/oidc/oidc-routes.ts';
import { createProvider, type ProviderSettings } from '../../accounts/oidc/provider.ts';
import type { Settings } from '../../config/schema/schema.ts';
import { publicAddress } from '../../domain/addresses.ts';
import { LOGIN_PATH } from '../../domain/login-path.ts';
import type { Role } from '../../domain/names.ts';
import { readAuthority } from '../../gateway/forward/nvr-questions.ts';
import { resolveMapped } from '../../identity/role-mapping.ts';
import { type BoundedFetch, createBoundedFetch } from '../../outbound/bounded-fetch.ts';
import type { Lasting } from '../services.ts';
import { type AnswerWatch, watchAnswers } from '../telemetry/readiness.ts';

/** A provider that is slower is away: a person waits for it. */
const ANSWER_SECONDS = 5;
const LARGEST_ANSWER = 64 * 1024;

/** A provider, and why its last answer was none. */
export interface WatchedProvider extends ActiveProvider {
  readonly fault: () => string | undefined;
}

/** Names and providers; none where Postern has no login of its own. */
export function providersUnder(
  settings: Settings,
  lasting: Pick<Lasting, 'clock' | 'metrics' | 'log'>,
  roles: () => Promise<Iterable<Role>>,
): ReadonlyMap<string, WatchedProvider> {
  const { public_url: site } = settings.server;
  if (!site) return new Map();
  return new Map(
    configuredIn(settings).map((config): [string, WatchedProvider] => {
      const { name, create: creates, role_map: roleMap, default_role: defaultRole } = config;
      const watch = watchOf(name, lasting);
      const { clock } = lasting;
      const provider = createProvider(config, site, { fetch: fetchFor(config), clock, onAnswer: watch.onAnswer });
      const rolesOf = async (groups: readonly string[]): Promise<readonly Role[]> => {
        const verdict = resolveMapped(groups, { roleMap, defaultRole }, await roles());
        return verdict.kind === 'role' ? verdict.matches.map(({ role }) => role) : [];
      };
      const afterLogout = publicAddress(site, LOGIN_PATH);
      const endSession = async (): Promise<string | undefined> =>
        config.logout === 'provider' ? provider.endSessionAddress(afterLogout) : undefined;
      return [name, { provider, rules: { provider: name, creates, rolesOf }, endSession, fault: watch.fault }];
    }),
  );
}

/** None where Postern has no login of its own. */
export const configuredIn = ({ auth, server }: Settings): readonly ProviderSettings[] =>
  auth.enabled && server.public_url ? auth.oidc : [];

/** The authority's file is read for each question: one that is renewed holds at once. */
export const fetchFor = ({ ca }: ProviderSettings, bytes = LARGEST_ANSWER): BoundedFetch =>
  createBoundedFetch({ seconds: ANSWER_SECONDS, bytes, ca: ca === undefined ? undefined : () => readAuthority(ca) });

/** Said once when a provider goes away, and once when it is back. */
const watchOf = (name: string, { metrics, log }: Pick<Lasting, 'metrics' | 'log'>): AnswerWatch =>
  watchAnswers((answer, wasDown) => {
    metrics.oidcProviderUp.set(answer.kind === 'up' ? 1 : 0, name);
    if (answer.kind === 'down')
      log.warn(
        { provider: name, cause: answer.why },
        'the provider of a sign-in does not answer as it should: other ways to log in go on',
      );
    else if (wasDown) log.info({ provider: name }, 'the provider of a sign-in answers again');
  });
