/** A store whose answers come within seconds or not at all: a server that is frozen must not hold requests (SPEC 10). */
import { withTimeLimit } from '../domain/async.ts';
import { storeFault } from '../domain/store/store-fault.ts';
import type { Store } from './open-store.ts';

type Act = (...given: never[]) => Promise<unknown>;
/** Anything but an object of calls does not compile: it must be named in `boundCalls`. */
type Calls<Part> = Part extends ((...given: never[]) => unknown) | string | number | boolean | undefined
  ? never
  : { readonly [Name in keyof Part]: Part[Name] extends Act ? Part[Name] : never };

/** Longer than any question or change of accounts takes; shorter than a browser or a balancer waits. */
const CALL_MILLISECONDS = 4000;

/**
 * Every part of the store whose calls are not named here: accounts and all that belongs to them. The server itself ends
 * questions about events. A change that was given up may yet be made by the server: the caller is told 503, which promises
 * neither.
 */
export function boundCalls(store: Store): Store {
  const { db, version, heard, isCurrent, name, glance, close, ...asked } = store;
  const { events, writeEvents, forgetEvents, ...bound } = asked;
  const { attempts, serverTime, identity, probe, ...parts } = bound;
  return {
    ...store,
    ...boundedParts(parts),
    attempts: attempts && bounded(attempts),
    serverTime: serverTime && boundedCall(serverTime),
    identity: boundedCall(identity),
    probe: boundedCall(probe),
  };
}

const boundedParts = <Parts extends { readonly [Name in keyof Parts]: Calls<Parts[Name]> }>(parts: Parts): Parts =>
  Object.fromEntries(Object.entries<object>(parts).map(([name, part]) => [name, bounded(part)])) as Parts;

const bounded = <Part extends object>(part: Part): Part =>
  Object.fromEntries(Object.entries(part).map(([name, act]) => [name, boundedCall(act as Act)])) as Part;

const boundedCall =
  <Given extends unknown[], Result>(act: (...given: Given) => Promise<Result>) =>
  (...given: Given): Promise<Result> =>
    withTimeLimit(act(...given), CALL_MILLISECONDS, () => {
      throw storeFault('unreachable', `PostgreSQL gave no answer within ${CALL_MILLISECONDS} ms`, undefined);
    });
