/** After a reload: whether who holds an open stream would be let in to it again, by the rules that hold now (SPEC 1, 4.2). */
import { isDeepStrictEqual } from 'node:util';
import { authorize } from '../access/authorize.ts';
import { type Caller, hasSameRights } from '../domain/caller.ts';
import { REFUSALS } from '../domain/refusal.ts';
import type { Rules } from './admit.ts';
import { identify } from './identify.ts';
import { CLOSED_FOR, type CloseCode, type HeldStream } from './open-streams.ts';
import { parsePlainTarget } from './plain-target.ts';

export interface ReviewParts {
  readonly rules: Rules;
  /** Who a caller is now; undefined when the session or token is over. */
  readonly recheck: (caller: Caller) => Promise<Caller | undefined>;
}

/** The code to end the stream with; undefined when it goes on. */
export async function reviewStream(stream: HeldStream, parts: ReviewParts): Promise<CloseCode | undefined> {
  const now = await callerNow(stream, parts);
  if (!now) return CLOSED_FOR['caller-gone'];
  return hasSameRights(now, stream.caller) && mayStay(now, stream, parts.rules)
    ? undefined
    : CLOSED_FOR['rights-changed'];
}

/** A session or token may have been renewed since; what a proxy said is read again as it was said, by today's map of roles. */
async function callerNow({ caller, request }: HeldStream, parts: ReviewParts): Promise<Caller | undefined> {
  if (caller.credential.kind !== 'proxy-headers') return parts.recheck(caller);
  const identity = await identify(request, parts.rules.sources[request.listener]);
  return identity.kind === 'identified' ? identity.caller : undefined;
}

const DENIALS: readonly number[] = [401, 403, 404];

function mayStay(now: Caller, { request, terms }: HeldStream, { routes, surroundings }: Rules): boolean {
  const target = parsePlainTarget(request.target);
  if (!target) return false;
  const route = routes.match(request.isUpgrade ? 'WS' : request.method, target.segments);
  const access = authorize(now, route, target, surroundings());
  // What is only not known yet, such as the cameras of another NVR, is no reason.
  if (access.kind === 'refused') return !DENIALS.includes(REFUSALS[access.reason].status);
  return access.kind !== 'allowed' || isDeepStrictEqual(access.terms?.messages, terms?.messages);
}
