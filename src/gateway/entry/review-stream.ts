/** Whether an open stream goes on: after a reload by the new configuration, and when the curtain was drawn or opened (SPEC 1, 4.2, 19). */
import { isDeepStrictEqual } from 'node:util';
import type { Obligations, Surroundings } from '../../access/access-verdict.ts';
import { authorize } from '../../access/authorize.ts';
import { locate } from '../../access/camera-locators.ts';
import { type Caller, type IdentitySource, lostRights } from '../../domain/caller.ts';
import { REFUSALS } from '../../domain/refusal.ts';
import { admit, type Rules } from '../decision/admit.ts';
import { CLOSED_FOR, type CloseCode, type HeldStream } from './open-streams.ts';

export interface ReviewDeps {
  readonly rules: Rules;
  /** The caller as of now; undefined when the session or token has ended. */
  readonly recheck: (caller: Caller) => Promise<Caller | undefined>;
}

/** The rules by which a decision asks the NVR nothing. */
export const withoutQuestions = (rules: Rules): Rules => ({ ...rules, owners: { denial: async () => undefined } });

/** Takes the decision again. Returns the close code to end the stream with; undefined when it goes on. */
export async function reviewStream(stream: HeldStream, deps: ReviewDeps): Promise<CloseCode | undefined> {
  const { caller, request, admission } = stream;
  const again = await admit(request, await rulesFor(caller, deps));
  if (again.kind === 'refused' && REFUSALS[again.reason].status === 401) return CLOSED_FOR['caller-gone'];
  if (again.kind !== 'admitted') return CLOSED_FOR['rights-changed'];
  if (!again.caller) return CLOSED_FOR['caller-gone'];
  const isAsBefore = !lostRights(again.caller, caller) && isHeldTo(admission.obligations, again.obligations);
  return isAsBefore ? undefined : CLOSED_FOR['rights-changed'];
}

/** Whether the curtain leaves the stream: its route names its cameras, and the caller sees them as before. */
export function isBesideCurtain({ admission }: HeldStream, now: Caller, surroundings: Surroundings): boolean {
  const { route, target, obligations } = admission;
  if (route.kind === 'unlisted' || !surroundings.layout) return false;
  const located = locate(route, target, surroundings.layout);
  if (located.kind === 'repeated' || located.named.length === 0) return false;
  if (located.owners.length + located.inBody.length > 0) return false;
  const verdict = authorize(now, route, target, surroundings);
  return verdict.kind === 'allowed' && isHeldTo(obligations, verdict.obligations);
}

/** Whether what would be done with the stream now is done with it already. */
function isHeldTo(before: Obligations | undefined, now: Obligations | undefined): boolean {
  const { view: _, ...kinds } = now ?? {};
  const isOfMessages = ({ messages, signalling }: Partial<Obligations> = {}) => [messages, signalling];
  return (
    Object.keys(kinds).every((kind) => before !== undefined && kind in before) &&
    isDeepStrictEqual(isOfMessages(now), isOfMessages(before))
  );
}

/** The headers of a proxy are read again from the request; a session may have been renewed since, so it is rechecked instead. */
async function rulesFor(caller: Caller, { rules, recheck }: ReviewDeps): Promise<Rules> {
  if (caller.credential.kind === 'proxy-headers') return rules;
  const now = await recheck(caller);
  const known: IdentitySource = {
    name: caller.credential.kind,
    identify: () => (now ? { kind: 'identified', caller: now } : { kind: 'refused', reason: 'token-invalid' }),
  };
  return { ...rules, sources: { ...rules.sources, external: [known] } };
}
