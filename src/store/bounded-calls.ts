/** A store whose answers come within seconds or not at all: a server that is frozen must not hold requests (SPEC 10). */

import { withTimeLimit } from '../domain/async/time-limit.ts';
import { storeFault } from '../domain/store/store-fault.ts';
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
  curtain: bounded(store.curtain),
  sites: bounded(store.sites),
  sessions: bounded(store.sessions),
  apiTokens: bounded(store.apiTokens),
  secondFactor: bounded(store.secondFactor),
  invitations: bounded(store.invitations),
  signIns: bounded(store.signIns),
  identityKeys: bounded(store.identityKeys),
  links: bounded(store.links),
  screens: bounded(store.screens),
  loginPlaces: bounded(store.loginPlaces),
  ledger: bounded(store.ledger),
  attempts: store.attempts && bounded(store.attempts),
  probe: boundedCall(store.probe),
});

const bounded = <Part extends object>(part: Part): Part =>
  Object.fromEntries(Object.entries(part).map(([name, act]) => [name, boundedCall(act as Act)])) as Part;

const boundedCall =
  <Given extends unknown[], Result>(act: (...given: Given) => Promise<Result>) =>
  (...given: Given): Promise<Result> =>
    withTimeLimit(act(...given), CALL_MILLISECONDS, () => {
      throw storeFault('unreachable', `PostgreSQL gave no answer within ${CALL_MILLISECONDS} ms`, undefined);
    });
