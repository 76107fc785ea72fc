/** The caller of a request, as identification found it; authorization decides by it. */
import { ALL_CAMERAS, type CameraScope, isSameScope } from './camera-scope.ts';
import { ADMIN, ANONYMOUS, type Role, type UserName } from './names.ts';

/** The credential of the request. Times are Unix seconds. */
export type Credential =
  | {
      readonly kind: 'session';
      readonly tokenId: string;
      readonly issuedAt: number;
      readonly expiresAt: number;
      readonly carriedBy: 'cookie' | 'bearer';
      /** Names the password of the account that the token was issued for; absent in tokens of the NVR. */
      readonly generation?: string | undefined;
      /** The login that began the session, however often it was renewed since; absent: `issuedAt`. */
      readonly authenticatedAt?: number | undefined;
      /** When the password or a factor was last given in this session; absent: never. */
      readonly provenAt?: number | undefined;
    }
  | {
      readonly kind: 'api-token';
      readonly tokenId: string;
      /** A browser that knows a `basic` password adds it by itself, as it does a cookie. */
      readonly carriedBy?: 'bearer' | 'basic';
      /** Made for managing accounts; absent: it is not, whatever its role. */
      readonly managesAccounts?: true;
      /** Absent: it does not end by itself. */
      readonly expiresAt?: number;
    }
  | { readonly kind: 'proxy-headers' }
  | { readonly kind: 'internal-listener' };

export interface Caller {
  readonly name: UserName;
  readonly role: Role;
  readonly scope: CameraScope;
  readonly credential: Credential;
  /** The user must have a second factor and has none yet: nothing may be done but set one up. */
  readonly mustEnrol?: true;
  /** The password was generated at the first start: the console asks for another one, programs go on. */
  readonly hasGeneratedPassword?: true;
}

/** A credential narrowed to some cameras administers nothing, whatever its role (SPEC 11). */
export const isAdministrator = ({ role, scope }: Caller): boolean => role === ADMIN && scope.kind === 'all';

/**
 * Whether the caller may use the routes for users, roles, tokens and sessions at all: a person, or an API token that was
 * made for it. Any other token that leaks could make accounts and passwords that outlive its revocation.
 */
export const mayManageAccounts = ({ credential }: Caller): boolean =>
  credential.kind !== 'api-token' || credential.managesAccounts === true;

/** Whether the caller's rights are the same now as when the request was admitted. */
const hasSameRights = (now: Caller, then: Caller): boolean =>
  now.role === then.role && isSameScope(now.scope, then.scope);

/** Why a caller that was admitted may not go on; undefined while the rights are the same. `now` comes from a recheck. */
export function lostRights(
  now: Caller | undefined,
  then: Caller,
): 'token-invalid' | 'role-too-low' | 'second-factor-required' | undefined {
  if (!now) return 'token-invalid';
  if (now.mustEnrol && !then.mustEnrol) return 'second-factor-required';
  return hasSameRights(now, then) ? undefined : 'role-too-low';
}

/** How long a proof lasts, and how far another replica's clock may be ahead. */
const PROOF_SECONDS = 600;
const CLOCK_SKEW_SECONDS = 60;

/**
 * Whether the caller has just shown to be the person, as dangerous acts ask for (SPEC 12). An API token never has. A proxy's
 * user has no password here, and the internal listener knows no persons: neither can be asked.
 */
export function hasFreshProof({ credential }: Caller, now: number): boolean {
  switch (credential.kind) {
    case 'session': {
      const { provenAt = Number.NEGATIVE_INFINITY } = credential;
      return now - provenAt < PROOF_SECONDS && provenAt - now <= CLOCK_SKEW_SECONDS;
    }
    case 'api-token':
      return false;
    case 'proxy-headers':
    case 'internal-listener':
      return true;
  }
}

/** Interface 5.6: on port 5000 all requests are anonymous, with admin-level access. */
export const INTERNAL_CALLER: Caller = {
  name: ANONYMOUS,
  role: ADMIN,
  scope: ALL_CAMERAS,
  credential: { kind: 'internal-listener' },
};
