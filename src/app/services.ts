/**
 * The state that own routes work with, each thing under one name: made once, or once for each configuration. A handler says
 * in its signature which of it it takes: `Pick<Services, 'sessions' | 'clock'>`.
 */
import type { CryptoKey } from 'jose';
import type { Logger } from 'pino';
import type { Holding } from '../access/camera-view.ts';
import type { Audit } from '../accounts/audit.ts';
import type { createGrantMemory, createMakers, GrantUses } from '../accounts/grants/grants.ts';
import type { GuardedAct } from '../accounts/http/kernel.ts';
import type { FirstTimeLogin } from '../accounts/login/first-admin.ts';
import type { LoginBlocks } from '../accounts/login/login-blocks.ts';
import type { KnownClients, LoginLimiter, MemoryLimiter } from '../accounts/login/login-limiter.ts';
import type { Providers } from '../accounts/login/reauthenticate.ts';
import type { Challenges } from '../accounts/passkeys/credential.ts';
import type { PasswordHasher } from '../accounts/passwords/password-hash.ts';
import type { RoleRegistry } from '../accounts/roles/roles.ts';
import type { KeyPurpose, Sealer, Tickets } from '../accounts/second-factor/sealing.ts';
import type { SecondFactor } from '../accounts/second-factor/second-factor.ts';
import type { SeenSessions } from '../accounts/sessions/seen-sessions.ts';
import type { Sessions } from '../accounts/sessions/sessions.ts';
import type { HoldingStore, StoreGrace } from '../accounts/sessions/store-grace.ts';
import type { HouseSettings } from '../accounts/settings/house-settings.ts';
import type { ApiTokens, createTokenVerifier } from '../accounts/tokens/api-tokens.ts';
import type { Settings } from '../config/schema/schema.ts';
import type { User } from '../domain/accounts/account.ts';
import type { MaybePromise } from '../domain/async.ts';
import type { Caller, Closed } from '../domain/caller.ts';
import type { CameraScope } from '../domain/camera-scope.ts';
import type { Clock } from '../domain/clock.ts';
import type { CameraName } from '../domain/names.ts';
import type { Clause } from '../domain/rate-limit.ts';
import type { AuditedAct } from '../features/feature.ts';
import type { Rules } from '../gateway/decision/admit.ts';
import type { Explainer } from '../gateway/explain/explain.ts';
import type { ServiceStatus } from '../gateway/readiness.ts';
import type { RulePlace } from '../gateway/rules.ts';
import type { RouteContext } from '../routes/own-route.ts';
import type { LoginResult, Metrics } from '../telemetry/metrics.ts';
import type { RecentFailures } from '../telemetry/recent-failures.ts';
import type { UiOptions } from '../ui/ui-options.ts';

/** What outlives every reload. */
export interface Lasting {
  readonly store: HoldingStore;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly recent: RecentFailures;
  readonly audit: Audit;
  /** Receives what is audited, and what stands on record alone. */
  readonly onAct: (act: AuditedAct) => void;
  readonly roleRegistry: RoleRegistry;
  /** Remembers what the store says of callers. */
  readonly grace: StoreGrace;
  readonly tokens: ApiTokens;
  readonly tokenVerifier: ReturnType<typeof createTokenVerifier>;
  readonly grants: ReturnType<typeof createGrantMemory>;
  readonly grantUses: GrantUses;
  /** The rights that an API token may be made for, and have no other. */
  readonly tokenRights: readonly string[];
  /** The caller, account or token without the cameras that features take from it now. */
  readonly subtract: <Holder extends Holding>(holder: Holder) => MaybePromise<Holder & Pick<Caller, 'drawn'>>;
  /** Signs sessions. */
  readonly key: CryptoKey;
  readonly hasherOf: (iterations: number) => PasswordHasher;
  /** Seals secrets of second factors. */
  readonly sealer: Sealer;
  readonly challenges: Challenges;
  /** Makes the ids by which authenticators know users. */
  readonly passkeyUserKey: Uint8Array;
  /** A key of its own for a purpose, made from the secret that sessions are signed with. */
  readonly keyFor: (purpose: KeyPurpose) => Uint8Array;
  /** Failed logins, by address. */
  readonly limiter: LoginLimiter;
  /** Wrong codes of second factors, by account. */
  readonly codeLimiter: LoginLimiter;
  /** Tokens that are no invitations, by address. */
  readonly invitationLimiter: MemoryLimiter;
  /** Addresses that logged in before. */
  readonly knownClients: KnownClients;
  /** Who must wait at the login. */
  readonly blocks: LoginBlocks;
  readonly firstTimeLogin: FirstTimeLogin;
  readonly tickets: Tickets;
  readonly seenSessions: SeenSessions;
  /** Makes a wrong password cost what the store's hashes do. */
  readonly followStore?: (hasher: PasswordHasher) => Promise<void>;
  /** Why the user may not be logged in now: the account has not begun or has ended, or the role is outside its hours. */
  readonly closedOf: (user: User) => Promise<Closed | undefined>;
  /** Seconds in which the body of a request must arrive. */
  readonly bodySeconds: () => number;
  /** Called when an attempt to log in has ended. */
  readonly onLogin: (result: LoginResult) => void;
}

/** What follows from the settings of the accounts. */
export interface AccountServices extends Lasting {
  readonly settings: Settings;
  /** The caller with the rights of now; undefined when the session or token is no longer valid. */
  readonly recheck: (caller: Caller) => Promise<Caller | undefined>;
  /** Whether the caller must show again to be the person, before an act of that kind. */
  readonly asksProof: (caller: Caller, act: GuardedAct) => boolean;
  readonly sessions: Sessions;
  readonly hasher: PasswordHasher;
  /** `auth.password_login`: asked after the right password, so that it tells a stranger nothing. */
  readonly mayUsePassword: (user: Pick<User, 'role'>) => boolean;
  readonly secondFactor: SecondFactor;
  readonly makerRights: ReturnType<typeof createMakers>;
  /** `auth.enabled`. */
  readonly authEnabled: boolean;
  /** The page at that path for people, or undefined while `server.public_url` is not set. */
  readonly publicAddressOf: (path: string) => string | undefined;
  /** The clauses of `auth.failed_login_rate_limit`. */
  readonly clauses: readonly Clause[];
  /** What credentials are worth; nothing of it is counted. */
  readonly identities: RulePlace['identities'];
  readonly providers: Providers;
}

/** The whole: what is known where requests are judged and pages are made is added. */
export interface Services extends AccountServices {
  readonly house: HouseSettings;
  readonly status: () => Promise<ServiceStatus>;
  readonly explain: Explainer;
  /** Where events are kept here: requests for them are forwarded to the backend. */
  readonly hasEventsBackend: boolean;
  readonly surroundings: Rules['surroundings'];
  /** The description of the API, as JSON. */
  readonly apiDescription: () => string;
  /** What the pages are made with. */
  readonly ui: UiOptions;
  /** The page of an invitation takes a form, and whatever else is not JSON. */
  readonly invitationForm: (ctx: RouteContext) => Promise<void>;
  /** What features tell of the caller in the profile. */
  readonly inProfile: (ctx: RouteContext, caller: Caller) => Promise<object>;
  /** None while they are not known yet. */
  readonly knownCameras: () => readonly CameraName[];
  /** The names to show in a profile; none while the cameras are not known yet. Must not fail: see SPEC 5 on `/api/profile`. */
  readonly visibleCameras: (scope: CameraScope) => readonly string[] | Promise<readonly string[]>;
  /** What people call a camera, where the NVR has such a name. */
  readonly friendlyNameOf: (camera: string) => string | undefined;
  /** Whether the NVR's pages know other roles than admin and viewer. Must not fail. */
  readonly knowsCustomRoles: () => Promise<boolean>;
}
