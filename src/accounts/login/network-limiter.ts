/** The login limiter with a second, wider window for each network: many addresses of one owner are one guesser (SPEC 4.5). */
import type { Clause } from '../../domain/rate-limit.ts';
import { networkKey } from './client-key.ts';
import { createLoginLimiter, type LimiterDeps, type MemoryLimiter } from './login-limiter.ts';

/** A network may fail as often as so many of its clients: neighbours of one provider share a /24. */
const CLIENTS_OF_A_NETWORK = 10;

/** Clients that logged in before count in their own window only: a neighbour's guesses do not keep them out. */
export function createNetworkLimiter(deps: LimiterDeps): MemoryLimiter {
  const clients = createLoginLimiter(deps);
  const networks = createLoginLimiter({ ...deps, clauses: deps.clauses.map(widened), keyOf: networkKey });
  return {
    limited: clients.limited,
    size: clients.size,
    setClauses(clauses) {
      clients.setClauses(clauses);
      networks.setClauses(clauses.map(widened));
    },
    full(address, isKnown = false) {
      const own = clients.full(address);
      if (own || isKnown) return own;
      const wide = networks.full(address);
      return wide && { ...wide, window: 'network' };
    },
    lift: (address, age, window) => (window === 'network' ? networks : clients).lift(address, age),
    settles: (address, isKnown, window) => (window === 'network' ? networks : clients).settles(address, isKnown),
    reserve(address, isKnown = false, costsHash = false) {
      const own = clients.reserve(address, isKnown, costsHash);
      if (own.kind === 'limited' || isKnown) return own;
      const wide = networks.reserve(address, false, costsHash);
      if (wide.kind === 'limited') {
        own.release();
        return { ...wide, window: 'network' };
      }
      return {
        kind: 'reserved',
        keep() {
          own.keep();
          wide.keep();
        },
        release() {
          own.release();
          wide.release();
        },
      };
    },
  };
}

export function widened({ count, windowSeconds, text }: Clause): Clause {
  const wide = count * CLIENTS_OF_A_NETWORK;
  return { count: wide, windowSeconds, text: text.replace(/^\d+/, String(wide)) };
}
