/** Whether an open stream would be admitted again under the new configuration, after a reload (SPEC 1, 4.2). */
import { isDeepStrictEqual } from 'node:util';
import type { Obligations } from '../../access/access-verdict.ts';
import { type Caller, lostRights } from '../../domain/caller.ts';
import { REFUSALS } from '../../domain/refusal.ts';
import type { IdentitySource } from '../../domain/verdict.ts';
import { admit, type Rules } from '../decision/admit.ts';
import { CLOSED_FOR, type CloseCode, type HeldStream } from './open-streams.ts';

export interface ReviewDeps {
  readonly rules: Rules;
  /** The caller as of now; undefined when the session or token has ended. */
  readonly recheck: (caller: Caller) => Promise<Caller | undefined>;
}

// Other statuses, such as 503 for a list of cameras that was not read yet, do not end a stream.
const CODES: ReadonlyMap<number, CloseCode> = new Map([
  [401, CLOSED_FOR['caller-gone']],
  [403, CLOSED_FOR['rights-changed']],
  [404, CLOSED_FOR['rights-changed']],
]);

/** Takes the decision again. Returns the close code to end the stream with; undefined when it goes on. */
export async function reviewStream(stream: HeldStream, deps: ReviewDeps): Promise<CloseCode | undefined> {
  const { caller, request, obligations } = stream;
  const again = await admit(request, await rulesFor(caller, deps));
  if (again.kind === 'refused') return CODES.get(REFUSALS[again.reason].status);
  if (!again.caller) return CLOSED_FOR['caller-gone'];
  const hasSameObligations =
    again.kind !== 'admitted' ||
    isDeepStrictEqual(socketObligations(again.obligations), socketObligations(obligations));
  return lostRights(again.caller, caller) || !hasSameObligations ? CLOSED_FOR['rights-changed'] : undefined;
}

/** What the messages of a WebSocket are judged by. */
const socketObligations = (obligations: Obligations | undefined) => [obligations?.messages, obligations?.signalling];

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
