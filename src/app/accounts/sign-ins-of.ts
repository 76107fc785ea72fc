/** Providers of OpenID Connect under one configuration, and what their routes need (SPEC 16). */
import { hash } from 'node:crypto';
import type { Logger } from 'pino';
import type { ActiveProvider } from '../../accounts/oidc/oidc-routes.ts';
import {
  createProvider,
  type Provider,
  type ProviderDeps,
  type ProviderSettings,
} from '../../accounts/oidc/provider.ts';
import { createSignIns } from '../../accounts/oidc/sign-in.ts';
import type { ProviderSessions } from '../../accounts/sessions/session-deps.ts';
import type { Settings } from '../../config/schema/schema.ts';
import type { ProviderSession } from '../../domain/accounts/sign-in.ts';
import { type PublicUrl, publicAddress } from '../../domain/addresses/public-url.ts';
import { type Clock, unixSeconds } from '../../domain/clock.ts';
import { LOGIN_PATH } from '../../domain/login-path.ts';
import type { Role, UserName } from '../../domain/names.ts';
import { readAuthority } from '../../gateway/forward/nvr-questions.ts';
import { resolveMapped } from '../../identity/role-mapping.ts';
import { type BoundedFetch, createBoundedFetch } from '../../outbound/bounded-fetch.ts';
import type { HoldingStore } from '../../store/pending-revocations.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { AccountServices } from '../services.ts';
import { type AnswerWatch, watchAnswers } from '../telemetry/answer-watch.ts';

export type ProviderConfig = Settings['auth']['oidc'][number];

/** Where the answer of a provider arrives, below the base path. */
const callbackPath = (name: string): string => `/api/login/oidc/${name}/callback`;

/** A provider that is slower is away: a person waits for it. */
const ANSWER_SECONDS = 5;
const LARGEST_ANSWER = 64 * 1024;

export interface ProvidersDeps {
  readonly clock: Clock;
  readonly roles: () => Promise<Iterable<Role>>;
  readonly metrics: Metrics;
  readonly log: Logger;
}

/** A provider, and why its last answer was none. */
export interface WatchedProvider extends ActiveProvider {
  readonly fault: () => string | undefined;
}

/** Names and providers; none where Postern has no login of its own. */
export function providersUnder(settings: Settings, deps: ProvidersDeps): ReadonlyMap<string, WatchedProvider> {
  const { public_url: site } = settings.server;
  if (!site) return new Map();
  return new Map(
    configuredIn(settings).map((config): [string, WatchedProvider] => {
      const watch = watchOf(config.name, deps);
      const provider = providerOf(config, site, {
        fetch: fetchFor(config),
        clock: deps.clock,
        onAnswer: watch.onAnswer,
      });
      const rules = {
        provider: config.name,
        creates: config.create,
        rolesOf: rolesBy(config, deps),
      };
      const afterLogout = publicAddress(site, LOGIN_PATH);
      const endSession = async (): Promise<string | undefined> =>
        config.logout === 'provider' ? provider.endSessionAddress(afterLogout) : undefined;
      return [config.name, { provider, rules, endSession, fault: watch.fault }];
    }),
  );
}

/** None where Postern has no login of its own. */
export const configuredIn = ({ auth, server }: Settings): readonly ProviderConfig[] =>
  auth.enabled && server.public_url ? auth.oidc : [];

export const providerOf = (
  config: ProviderConfig,
  site: PublicUrl,
  deps: Pick<ProviderDeps, 'fetch' | 'clock' | 'onAnswer'>,
): Provider =>
  createProvider({
    ...deps,
    settings: providerSettings(config),
    redirectUri: publicAddress(site, callbackPath(config.name)),
  });

export const fetchFor = (config: ProviderConfig, bytes = LARGEST_ANSWER): BoundedFetch =>
  createBoundedFetch({ seconds: ANSWER_SECONDS, bytes, ca: authorityOf(config) });

/** The file is read for each question: one that is renewed holds at once. */
function authorityOf({ ca }: ProviderConfig): (() => Promise<string>) | undefined {
  return ca === undefined ? undefined : () => readAuthority(ca);
}

const providerSettings = (config: ProviderConfig): ProviderSettings => ({
  name: config.name,
  label: config.label,
  issuer: config.issuer,
  clientId: config.client_id,
  clientSecret: config.client_secret,
  scopes: config.scopes,
  userClaim: config.user_claim,
  groupsClaim: config.groups_claim,
  acrValues: config.acr_values,
  prompt: config.prompt,
  maxAge: config.max_age ?? undefined,
  trustsFactor: config.second_factor === 'provider',
});

/** Said once when a provider goes away, and once when it is back. */
const watchOf = (name: string, { metrics, log }: ProvidersDeps): AnswerWatch =>
  watchAnswers((answer, wasDown) => {
    metrics.oidcProviderUp.set(answer.kind === 'up' ? 1 : 0, name);
    if (answer.kind === 'down')
      log.warn(
        { provider: name, cause: answer.why },
        'the provider of a sign-in does not answer as it should: other ways to log in go on',
      );
    else if (wasDown) log.info({ provider: name }, 'the provider of a sign-in answers again');
  });

const rolesBy =
  ({ role_map: roleMap, default_role: defaultRole }: ProviderConfig, { roles }: ProvidersDeps) =>
  async (groups: readonly string[]): Promise<readonly Role[]> => {
    const verdict = resolveMapped(groups, { roleMap, defaultRole }, await roles());
    return verdict.kind === 'role' ? verdict.matches.map(({ role }) => role) : [];
  };

/** Kept for as long as a session may be renewed: the provider can end it until then. */
const WITHOUT_END_SECONDS = 400 * 86_400;

export const providerSessionsOf = (
  auth: Settings['auth'],
  { store, clock }: { readonly store: HoldingStore; readonly clock: Clock },
): ProviderSessions => ({
  async begun(sessionId, { issuer, subject, sid }) {
    const expiresAt = unixSeconds(clock) + (auth.session_max_age ?? WITHOUT_END_SECONDS);
    await store.signIns.noteSession({ sessionId, issuer, subject, ...(sid !== undefined && { sid }), expiresAt });
  },
  renamed: (from, to) => store.signIns.renameSession(from, to),
});

const markOf = (id: string): string => hash('sha256', id, 'base64url');

type MadeHere = 'signInsOf' | 'wasUsed' | 'markUsed' | 'endProviderSessions' | 'ownerOf' | 'onResult';

export function signInsUnder(
  services: Pick<
    AccountServices,
    | 'store'
    | 'sessions'
    | 'seenSessions'
    | 'metrics'
    | 'log'
    | 'invitations'
    | 'hasher'
    | 'secondFactor'
    | 'closedOf'
    | 'clock'
  >,
): Pick<AccountServices, MadeHere> {
  const { store, sessions, seenSessions, metrics, log } = services;
  const { signIns } = store;
  const ownerOf: AccountServices['ownerOf'] = async ({ issuer, subject }) =>
    (await signIns.findSignIn(issuer, subject))?.user;
  return {
    ownerOf,
    signInsOf: createSignIns({
      ...services,
      store: store.accounts,
      signIns,
      invitationStore: store.invitations,
      async endSessions(user) {
        const open = await seenSessions.list(user);
        await Promise.all(open.map(({ id, expiresAt }) => sessions.revoke(id, expiresAt)));
        return open.length > 0;
      },
    }),
    wasUsed: (id) => store.accounts.isRevoked(markOf(id)),
    markUsed: (id, until) => store.accounts.revokeToken(markOf(id), until),
    async endProviderSessions({ issuer, subject, sid }) {
      const users = new Set<UserName>();
      const begun = () => signIns.sessionsOf(issuer, subject, sid);
      const faults = await endAll(begun, async ({ sessionId, expiresAt, ...of }) => {
        // The name is for the record: the session ends without it, too.
        const seen = await seenSessions.find(sessionId).catch(() => undefined);
        const user = seen?.user ?? (await ownerOf(of).catch(() => undefined));
        if (user) users.add(user);
        await sessions.revoke(sessionId, expiresAt);
      });
      return { users: [...users], faults };
    },
    onResult(provider, result, why) {
      metrics.oidcLogins.add(1, provider, result);
      if (why !== undefined) log.warn({ provider, result, cause: why }, 'a sign-in with a provider did not succeed');
    },
  };
}

/**
 * Ends each session, also those that come while others end: a new password names the session anew, and looks behind that whether
 * the old name is revoked. Gives the faults of those that could not be ended.
 */
export async function endAll(
  begun: () => Promise<readonly ProviderSession[]>,
  end: (session: ProviderSession) => Promise<void>,
): Promise<readonly unknown[]> {
  const tried = new Set<string>();
  const faults: unknown[] = [];
  for (;;) {
    const left = (await begun()).filter(({ sessionId }) => !tried.has(sessionId));
    if (left.length === 0) return faults;
    for (const { sessionId } of left) tried.add(sessionId);
    const outcomes = await Promise.allSettled(left.map(end));
    faults.push(...outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : [])));
  }
}
