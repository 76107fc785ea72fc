/** The keys of `proxy.jwt`, asked for with bounds (SPEC 17). */
import type { Settings } from '../../config/schema/schema.ts';
import { createKeySet, type KeyAnswer, type KeySet } from '../../identity/key-set.ts';
import { createBoundedFetch } from '../../outbound/bounded-fetch.ts';
import { steadyNow } from '../resources/steady-clock.ts';

const ANSWER_SECONDS = 5;
const LARGEST_ANSWER = 64 * 1024;

/** Undefined where no signed token is configured. `onAnswer` hears of each answer. */
export function proxyKeysOf(
  { auth, proxy: { jwt } }: Settings,
  onAnswer: (answer: KeyAnswer) => void = () => {},
): KeySet | undefined {
  if (auth.enabled || !jwt) return undefined;
  return createKeySet({
    url: jwt.jwks_url,
    fetch: createBoundedFetch({ seconds: ANSWER_SECONDS, bytes: LARGEST_ANSWER }),
    clock: { now: steadyNow },
    onAnswer,
  });
}
