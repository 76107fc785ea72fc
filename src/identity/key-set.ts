/** The public keys at an address: kept while they can be had, for a grace while they cannot, and asked for anew for an unknown key (SPEC 17). */
import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import type { Settings } from '../config/schema/schema.ts';
import { type Clock, unixSeconds } from '../domain/clock.ts';
import { isRecord } from '../domain/json.ts';
import { faultMessage } from '../domain/result.ts';
import { createBoundedFetch } from '../outbound/bounded-fetch.ts';
import type { Answer } from '../telemetry/readiness.ts';

export interface KeySetDeps {
  readonly url: string;
  readonly fetch: (url: string) => Promise<Response>;
  /** One that is never set. */
  readonly clock: Clock;
  /** Called with each answer, and with why there is none. */
  readonly onAnswer: (answer: Answer) => void;
}

/** Rejects with `KeysAway` when there are no keys that may be used. */
export interface KeySet {
  readonly keyFor: JWTVerifyGetKey;
}

export class KeysAway extends Error {
  override readonly name = 'KeysAway';
}

/** Keys are confirmed so often while they are used. */
const FRESH_SECONDS = 600;
/** Keys that cannot be confirmed are used for so long. */
const GRACE_SECONDS = 3600;
/** The least time between two questions for an unknown key, and between two after a failure. */
const COOLDOWN_SECONDS = 60;
const PAUSE_SECONDS = 5;
const UNKNOWN_KEY = 'ERR_JWKS_NO_MATCHING_KEY';

interface Known {
  readonly find: JWTVerifyGetKey;
  /** When the server last confirmed them. */
  readonly at: number;
}

export function createKeySet({ url, fetch, clock, onAnswer }: KeySetDeps): KeySet {
  let known: Known | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  let isFailing = false;
  let asking: Promise<void> | undefined;

  /** Never rejects: what was known stays. */
  const ask = (): Promise<void> => {
    askedAt = unixSeconds(clock);
    asking ??= keysAt(url, fetch)
      .then(
        (find) => {
          known = { find, at: unixSeconds(clock) };
          isFailing = false;
          onAnswer({ kind: 'up' });
        },
        (fault: unknown) => {
          isFailing = true;
          onAnswer({ kind: 'down', why: faultMessage(fault) });
        },
      )
      .finally(() => {
        asking = undefined;
      });
    return asking;
  };
  const mayAskAfter = (seconds: number): boolean => unixSeconds(clock) - askedAt >= seconds;

  const current = async (): Promise<Known> => {
    const age = unixSeconds(clock) - (known?.at ?? Number.NEGATIVE_INFINITY);
    if (known && age < FRESH_SECONDS) return known;
    const mayAsk = mayAskAfter(isFailing ? PAUSE_SECONDS : 0);
    // The grace is for a server that fails: of another one the answer is awaited, which may withdraw a key.
    if (known && isFailing && age < FRESH_SECONDS + GRACE_SECONDS) {
      if (mayAsk) void ask();
      return known;
    }
    await (asking ?? (mayAsk ? ask() : undefined));
    if (known && unixSeconds(clock) - known.at < FRESH_SECONDS + GRACE_SECONDS) return known;
    throw new KeysAway();
  };

  return {
    async keyFor(header, token) {
      const keys = await current();
      try {
        return await keys.find(header, token);
      } catch (fault) {
        if (Object(fault).code !== UNKNOWN_KEY || !mayAskAfter(COOLDOWN_SECONDS)) throw fault;
        await ask();
        return (known ?? keys).find(header, token);
      }
    },
  };
}

async function keysAt(url: string, fetch: KeySetDeps['fetch']): Promise<JWTVerifyGetKey> {
  const response = await fetch(url);
  if (response.status !== 200) throw new Error(`its keys were answered with status ${response.status}`);
  const keys: unknown = await response.json().catch(() => undefined);
  if (!isRecord(keys) || !Array.isArray(keys['keys']) || !keys['keys'].every(isRecord))
    throw new Error('its keys are no key set (RFC 7517)');
  return createLocalJWKSet(keys as unknown as JSONWebKeySet);
}

const ANSWER_SECONDS = 5;
const LARGEST_ANSWER = 64 * 1024;

/** The keys of `proxy.jwt`, asked for with bounds (SPEC 17). Undefined where no signed token is configured. `onAnswer` hears of each answer. */
export function openProxyKeys(
  { auth, proxy: { jwt } }: Settings,
  onAnswer: (answer: Answer) => void = () => {},
): KeySet | undefined {
  if (auth.enabled || !jwt) return undefined;
  return createKeySet({
    url: jwt.jwks_url,
    fetch: createBoundedFetch({ seconds: ANSWER_SECONDS, bytes: LARGEST_ANSWER }),
    clock: { now: () => performance.now() },
    onAnswer,
  });
}
