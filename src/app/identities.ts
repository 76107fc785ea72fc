/** What each kind of credential is worth under one configuration: for the service, for `explain` and for commands (SPEC 3). */
import { createGrantMemory, createMakers } from '../accounts/grants/grants.ts';
import { createRoleRegistry } from '../accounts/roles/roles.ts';
import type { Sessions } from '../accounts/sessions/sessions.ts';
import { createApiTokens } from '../accounts/tokens/api-tokens.ts';
import { rolesOfFile } from '../config/schema/role-schema.ts';
import type { Settings } from '../config/schema/schema.ts';
import type { User } from '../domain/accounts/account.ts';
import type { Caller } from '../domain/caller.ts';
import type { CustomRoles } from '../domain/camera-scope.ts';
import { unixSeconds } from '../domain/clock.ts';
import type { CredentialKind } from '../domain/credentials.ts';
import { recheckedProxyCaller } from '../identity/proxy-header-source.ts';
import { createViewAs } from '../identity/sources.ts';
import type { Store } from '../store/open-store.ts';
import type { Features } from './resources/features.ts';
import type { Lasting } from './services.ts';

type Judging = { readonly store: Store } & Pick<Lasting, 'clock' | 'grace' | 'grants' | 'roleRegistry' | 'tokens'>;

/** What credentials are judged by: what the store says of roles and grants, as long as `grace` remembers it. */
export function openJudging(
  { store, clock, grace }: { readonly store: Store } & Pick<Lasting, 'clock' | 'grace'>,
  { auth }: Pick<Settings, 'auth'>,
  onChange?: (roles: CustomRoles) => void,
) {
  const roleRegistry = createRoleRegistry({
    store: store.roles,
    fixed: rolesOfFile(auth),
    grace,
    ...(onChange && { onChange }),
  });
  const grants = createGrantMemory({ store, clock, grace });
  const tokens = createApiTokens({ grants, clock, roles: roleRegistry.active, authEnabled: auth.enabled });
  return { store, clock, grace, roleRegistry, grants, tokens };
}

/** `owesFactor`: the user must set up a second factor before anything else. */
export function openIdentities(
  settings: Settings,
  lasting: Judging,
  sessions: Pick<Sessions, 'verify' | 'recheck'>,
  owesFactor: (user: User) => boolean,
  features: Pick<Features, 'identities' | 'subtract'>,
) {
  const { auth } = settings;
  const { store, clock, grants: memory, roleRegistry, tokens } = lasting;
  const { active: roles } = roleRegistry;
  const { subtract } = features;
  const rules = {
    grants: memory,
    clock,
    roles,
    callerOfToken: tokens.callerNow,
    authEnabled: auth.enabled,
    owesFactor,
  };
  const makerRights = createMakers(rules);
  const others = features.identities({ ...lasting, settings, makerRights });
  const viewAs = auth.enabled ? createViewAs({ store, clock, roleRegistry, owesFactor }) : undefined;
  /** A credential of the other mode is refused: accounts and a proxy's headers are never trusted together. */
  const ofSession: Recheck = async (caller) => (auth.enabled ? sessions.recheck(caller) : undefined);
  /** None of a kind whose feature is left out: such a credential holds no longer. */
  const rechecks: Readonly<Partial<Record<CredentialKind, Recheck>>> = {
    session: ofSession,
    'api-token': async (caller) =>
      caller.credential.kind === 'api-token' && caller.credential.session ? ofSession(caller) : tokens.recheck(caller),
    'proxy-headers': async (caller) =>
      auth.enabled ? undefined : recheckedProxyCaller(caller, await roles(), unixSeconds(clock)),
    'internal-listener': async (caller) => caller,
    'command-line': async () => undefined,
    'view-as': async (caller) => viewAs?.recheck(caller, whole),
    ...Object.assign({}, ...others.map((one) => one.rechecks)),
  };
  /** The caller before anything is subtracted. */
  const whole: Recheck = async (caller) => rechecks[caller.credential.kind]?.(caller);
  return {
    makerRights,
    /** What the rules of the decision ask; nothing of it is counted. */
    identities: {
      verifySession: sessions.verify,
      verifyApiToken: tokens.verify,
      slotted: others.flatMap(({ sources }) => sources),
      standsFor: others.find((one) => one.standsFor)?.standsFor,
      findViewed: viewAs?.find,
      subtract,
      roleRegistry,
      clock,
    },
    /** The caller as of now; undefined when the credential no longer holds. */
    async recheck(caller: Caller): Promise<Caller | undefined> {
      const found = await whole(caller);
      return found && subtract(found);
    },
  };
}

type Recheck = (caller: Caller) => Promise<Caller | undefined>;
