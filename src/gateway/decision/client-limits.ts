/** How much one client may have under way behind the gate: requests and WebSockets by address, by caller, and without a login. */
import type { TrustedNetworks } from '../../domain/addresses.ts';
import { type Bound, boundsOf, createShares, type Ending, type Sharer } from '../../domain/async.ts';
import type { Caller } from '../../domain/caller.ts';
import { actualSender, traitsFor } from '../../domain/credentials.ts';
import { ANONYMOUS } from '../../domain/names.ts';

export type ClientLimits = ReturnType<typeof createClientLimits>;

/**
 * Takes the place of a request before anything is asked for it; a second call takes nothing more. Gives whose share of everything
 * else the request takes; undefined where there is no room.
 */
export type TakePlace = (who: LimitedClient, trusted: TrustedNetworks) => Sharer | undefined;

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

/** The part of a person's share that all it has lent has together: those viewers do not keep it out. */
const LENT = 1 / 2;

const ALL = '';

/** `keyOf` gives addresses of one client the same text; an IPv6 client has a whole network. */
export function createClientLimits(keyOf: (address: string) => string) {
  const shares = createShares();
  return {
    /** Requests and WebSockets under way. */
    taken: (): number => shares.taken(ALL),
    /** The place of one request, which is given back at the request's end. */
    placeUntil(ending: Ending): TakePlace {
      let taken: Sharer | undefined;
      return ({ client, caller }, trusted) => {
        if (taken) return taken;
        // The address of a trusted proxy is no client's.
        const address = trusted.includes(client.address) ? undefined : `address ${keyOf(client.address)}`;
        const sharer = findSharer(caller, address);
        const hold = shares.hold([[ALL, Number.POSITIVE_INFINITY], ...clientBounds(sharer, caller, address)]);
        if (!hold.take()) return undefined;
        ending.defer(hold.release);
        taken = sharer;
        return taken;
      };
    },
  };
}

function clientBounds(sharer: Sharer, caller: Caller | undefined, address: string | undefined): Bound[] {
  const { ofAddress, ofCaller, withoutLogin, ofAddressWithoutLogin } = MOST_UNDER_WAY;
  const bounds: Bound[] = address === undefined ? [] : [[address, ofAddress]];
  if (!caller && address !== undefined) bounds.push([`without login ${address}`, ofAddressWithoutLogin]);
  if (!caller) return [...bounds, ...boundsOf(sharer, withoutLogin)];
  return isNamed(caller) ? [...bounds, ...boundsOf(sharer, ofCaller)] : bounds;
}

/** Many people or programs are called `anonymous`. */
const isNamed = (caller: Caller): boolean => actualSender(caller).name !== ANONYMOUS;

/** All sessions and tokens of a person together; the address where many people or programs have the same name. */
function findSharer(caller: Caller | undefined, address: string | undefined): Sharer {
  if (!caller) return [['without login', 1]];
  if (!isNamed(caller)) return address === undefined ? [] : [[address, 1]];
  const { name, credential } = actualSender(caller);
  return traitsFor(credential).isUsedByOwner
    ? [[`name ${name}`, 1]]
    : [
        [`lent by ${name}`, LENT],
        [`name ${name}`, 1],
      ];
}
