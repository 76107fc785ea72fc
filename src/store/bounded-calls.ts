/** A store whose answers come within seconds or not at all: a server that is frozen must not hold requests (SPEC 10). */
import { storeFault } from '../domain/store-fault.ts';
import type { Store } from './open-store.ts';

type Act = (...given: never[]) => Promise<unknown>;

/** Longer than any question or change of accounts takes; shorter than a browser or a balancer waits. */
const CALL_MILLISECONDS = 4000;

/**
 * Accounts and all that belongs to them, and the probe. A change that was given up may yet be made by the server: the
 * caller is told 503, which promises neither.
 */
export const boundCalls = (store: Store): Store => ({
  ...store,
  accounts: bounded(store.accounts),
  roles: bounded(store.roles),
  sessions: bounded(store.sessions),
  apiTokens: bounded(store.apiTokens),
  secondFactor: bounded(store.secondFactor),
  invitations: bounded(store.invitations),
  links: bounded(store.links),
  notices: bounded(store.notices),
  ledger: bounded(store.ledger),
  attempts: store.attempts && bounded(store.attempts),
  probe: inTime(store.probe),
});

const bounded = <Part extends object>(part: Part): Part =>
  Object.fromEntries(Object.entries(part).map(([name, act]) => [name, inTime(act as Act)])) as Part;

const inTime =
  <Given extends unknown[], Result>(act: (...given: Given) => Promise<Result>) =>
  (...given: Given): Promise<Result> => {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(
      () =>
        late.reject(storeFault('unreachable', `PostgreSQL gave no answer within ${CALL_MILLISECONDS} ms`, undefined)),
      CALL_MILLISECONDS,
    );
    return Promise.race([act(...given), late.promise]).finally(() => clearTimeout(timer));
  };
