/** Which caller counts, after the sources of identity have been asked: public routes and the proxy secret (SPEC 3). */
import { isOwn, type RouteMatch } from '../../access/route-table.ts';
import { type MaybePromise, mapMaybe } from '../../domain/async.ts';
import type { Caller, IdentitySource, IdentityVerdict } from '../../domain/caller.ts';
import { traitsFor } from '../../domain/credentials.ts';
import type { RefusalReason } from '../../domain/refusal.ts';
import type { RequestFacts } from '../../domain/request.ts';
import { err, ok, type Result } from '../../domain/result.ts';

/**
 * Whether a refusal of the sources comes from the proxy's headers. Without the proxy secret those headers are untrusted: the
 * secret is checked before they count, so that 401 and 403 reveal no mapping of groups.
 */
const isFromHeaders = (reason: RefusalReason): boolean => reason.startsWith('proxy-');

/**
 * A bad credential is refused and never taken for none; on a public route it is ignored, and the caller is unknown.
 * `carriesProxySecret` is undefined when no `proxy.auth_secret` is set.
 */
export function acceptedCaller(
  request: RequestFacts,
  route: RouteMatch,
  identity: IdentityVerdict,
  carriesProxySecret: ((request: RequestFacts) => boolean) | undefined,
): Result<Caller | undefined, RefusalReason> {
  const isPublic = route.kind === 'listed' && route.row.access === 'public';
  const refusal = identity.kind === 'refused' && !isPublic ? identity.reason : undefined;
  if (refusal && !isFromHeaders(refusal)) return err(refusal);
  const known = identity.kind === 'identified' ? identity.caller : undefined;
  if (known && !traitsFor(known.credential).isFromRequest) return err('token-invalid');
  // A person can log in beside a display that was lent rights.
  const caller = isPublic && known && !traitsFor(known.credential).isKnownOnPublicRoutes ? undefined : known;
  const withoutSecret = caller ? traitsFor(caller.credential).withoutProxySecret : 'on-public-routes';
  if (request.listener === 'internal' || withoutSecret === 'everywhere') return ok(caller);
  const needsSecret = !isPublic || route.row.secret === true;
  if (!needsSecret && withoutSecret === 'on-public-routes') return ok(caller);
  if (carriesProxySecret?.(request) === false) return needsSecret ? err('proxy-secret-mismatch') : ok(undefined);
  return refusal ? err(refusal) : ok(caller);
}

/**
 * The reason why credentials were not accepted on a public route, for the login page. A user that the proxy has signed in, and
 * whose groups give no role, must be told so. Without the proxy secret nothing is told of the proxy's headers.
 */
export function credentialFault(
  request: RequestFacts,
  identity: IdentityVerdict,
  carriesProxySecret: ((request: RequestFacts) => boolean) | undefined,
): RefusalReason | undefined {
  if (identity.kind !== 'refused') return undefined;
  if (isFromHeaders(identity.reason) && carriesProxySecret?.(request) === false) return undefined;
  return identity.reason;
}

/**
 * Postern's own public routes (its pages, login, logout), and the rows that name themselves. Nothing of the NVR, not even
 * its public pages: a browser that opens one is led to where the factor is set up.
 */
export const mayEnrolBy = (route: RouteMatch): boolean =>
  isOwn(route) && (route.row.access === 'public' || route.row.enrolment === true);

const SILENT: IdentityVerdict = { kind: 'silent' };

export const identify = (request: RequestFacts, sources: readonly IdentitySource[]): MaybePromise<IdentityVerdict> =>
  askFrom(0, request, sources);

function askFrom(at: number, request: RequestFacts, sources: readonly IdentitySource[]): MaybePromise<IdentityVerdict> {
  const source = sources[at];
  if (!source) return SILENT;
  return mapMaybe(source.identify(request), (verdict) =>
    verdict.kind === 'silent' ? askFrom(at + 1, request, sources) : verdict,
  );
}
