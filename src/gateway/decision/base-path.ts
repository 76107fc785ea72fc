/** Base path: the prefix below which a client sees this service, by `server.base_path`, or by a trusted ingress for one request (SPEC 1). */
import { isTrustedPeer, type TrustedNetworks, withoutPrefix } from '../../domain/addresses.ts';
import { type RequestFacts, singleHeader } from '../../domain/request.ts';
import { targetInOneSpelling } from './strict-target.ts';

export interface BasePathRules {
  readonly trusted: TrustedNetworks;
  /** `server.base_path`; absent or empty for none. */
  readonly basePath?: string;
}

/** The prefix goes into pages, redirects and cookies: whole segments of these letters hold neither markup nor another host. */
const INGRESS_PATH = /^(?:\/[A-Za-z0-9_-]+)+$/;
const LONGEST = 256;

/** Where a proxy asks about a request of its client, or a caller about itself. */
export const AUTH_TARGET = /^(?:\/api)?\/auth(?:$|\?)/;

/**
 * The request with its path in one spelling and the prefix cut off. Home Assistant's ingress has cut it already. A proxy
 * that asks at `/auth` passes its client's headers on, so there the client could have sent `X-Ingress-Path`: nothing is
 * cut by it, else `/auth` below `/auth` would be the start page, which is public.
 */
export function belowBasePath(
  request: RequestFacts,
  { trusted, basePath: configured = '' }: BasePathRules,
): RequestFacts {
  const basePath = ingressPath(request, trusted) ?? configured;
  const target = targetInOneSpelling(request.target);
  const belowConfigured = withoutPrefix(target, configured);
  const below = AUTH_TARGET.test(belowConfigured) ? belowConfigured : withoutPrefix(target, basePath);
  if (basePath !== '') return { ...request, basePath, target: below };
  return target === request.target ? request : { ...request, target };
}

function ingressPath(request: RequestFacts, trusted: TrustedNetworks): string | undefined {
  const said = singleHeader(request, 'x-ingress-path');
  if (said === undefined || said.length > LONGEST || !INGRESS_PATH.test(said)) return undefined;
  return isTrustedPeer(request.peer, trusted) ? said : undefined;
}
