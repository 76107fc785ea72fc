/** How much one client may have under way behind the gate: requests and WebSockets by address, by caller, and without a login. */
import { type Caller, senderOf } from '../../domain/caller.ts';
import { ANONYMOUS } from '../../domain/names.ts';
import type { TrustedNetworks } from '../decision/client-address.ts';

export interface ClientLimits {
  /** Undefined where there is no room for one more; else what to call when it is over, once. */
  enter(who: LimitedClient, trusted: TrustedNetworks): (() => void) | undefined;
  /** Addresses and callers that have something under way. */
  size(): number;
}

export interface LimitedClient {
  readonly client: { readonly address: string };
  /** Undefined without a login. */
  readonly caller: Caller | undefined;
}

/**
 * Generous: a page that shows 40 cameras holds 40 WebSockets, and several people of a household may share one account,
 * one address, or both. A browser opens at most 128 streams on one connection.
 */
export const MOST_UNDER_WAY = { ofAddress: 768, ofCaller: 512, ofAddressWithoutLogin: 128, withoutLogin: 256 } as const;

/** `keyOf` gives addresses of one client the same text; an IPv6 client has a whole network. */
export function createClientLimits(keyOf: (address: string) => string): ClientLimits {
  const counts = new Map<string, number>();
  return {
    size: () => counts.size,
    enter({ client, caller }, trusted) {
      const bounds = boundsOf(caller, trusted.includes(client.address) ? undefined : keyOf(client.address));
      if (bounds.some(([key, most]) => (counts.get(key) ?? 0) >= most)) return undefined;
      for (const [key] of bounds) counts.set(key, (counts.get(key) ?? 0) + 1);
      return () => {
        for (const [key] of bounds) {
          const left = (counts.get(key) ?? 0) - 1;
          if (left > 0) counts.set(key, left);
          else counts.delete(key);
        }
      };
    },
  };
}

type ClientBound = readonly [key: string, most: number];

/** `address` is undefined for that of a trusted proxy, which is no client's. */
function boundsOf(caller: Caller | undefined, address: string | undefined): readonly ClientBound[] {
  const bounds: ClientBound[] = [];
  const holder = caller && nameOf(caller);
  if (address !== undefined) bounds.push([`address ${address}`, MOST_UNDER_WAY.ofAddress]);
  if (holder !== undefined) bounds.push([holder, MOST_UNDER_WAY.ofCaller]);
  if (caller) return bounds;
  bounds.push(['without login', MOST_UNDER_WAY.withoutLogin]);
  if (address !== undefined) bounds.push([`without login ${address}`, MOST_UNDER_WAY.ofAddressWithoutLogin]);
  return bounds;
}

/** All sessions and tokens of a person together; undefined where many people or programs have the same name. */
function nameOf(caller: Caller): string | undefined {
  const { name, credential } = senderOf(caller);
  if (credential.kind === 'link') return `link ${credential.linkId}`;
  if (credential.kind === 'screen') return `screen ${credential.screenId}`;
  return credential.kind === 'internal-listener' || name === ANONYMOUS ? undefined : `name ${name}`;
}
