/** The request body filter: a body that must be judged is read whole, within bounds, and written anew (SPEC 5). */
import type { IncomingMessage } from 'node:http';
import type { Obligations, SignallingObligations } from '../../access/access-verdict.ts';
import { judgeBody } from '../../access/judge-body.ts';
import { judgeOfferBody, LARGEST_OFFER, type OfferBody } from '../../access/live/live-offer.ts';
import { adapterOf } from '../../access/route-table.ts';
import type { Sharer } from '../../domain/async/shares.ts';
import { isNestedTooDeep } from '../../domain/json.ts';
import { readBody } from '../../domain/read-body.ts';
import type { RefusalReason } from '../../domain/refusal.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { Admitted } from '../decision/admit.ts';
import type { OwnerLookup } from '../decision/owner-lookup.ts';

/** Bytes. A list of ids, what to export, or an offer: each is far smaller. */
const LARGEST_JUDGED_BODY = LARGEST_OFFER;

/**
 * Media types whose body is judged: of a form a server would read other fields. Without one, or as the text that browsers
 * name where a script names nothing, it is judged as JSON.
 */
const JSON_TYPE = /^(?:(?:application\/(?:[\w.-]+\+)?json|text\/plain)\s*(?:;\s*charset="?utf-8"?\s*)?)?$/i;

/** Why a body is refused, and where the fault stands in it. */
export interface BodyRefusal {
  readonly reason: RefusalReason;
  readonly field?: string;
}

export interface BodyJudges {
  readonly owners: OwnerLookup;
  readonly sharer: Sharer;
  /** Those of `nvr.push_endpoints`. */
  readonly pushHosts: readonly string[];
  /** Seconds by which a body must be there; absent: as long as the connection lives. */
  readonly bodySeconds?: number;
}

const refusal = (reason: RefusalReason): Result<never, BodyRefusal> => err({ reason });

const limits = (seconds: number | undefined) => ({
  bytes: LARGEST_JUDGED_BODY,
  ...(seconds !== undefined && { seconds }),
});

/** The body to send in the place of the request's own, or why it may not be sent. */
export async function judgedBody(
  request: IncomingMessage,
  { target, route }: Admitted,
  { body: rule, view }: Obligations,
  { owners, sharer, pushHosts, bodySeconds }: BodyJudges,
): Promise<Result<Buffer | undefined, BodyRefusal>> {
  if (!rule) return ok(undefined);
  const body = await readBody(request, limits(bodySeconds));
  if (!body.ok && body.error === 'gone') throw new Error('the client closed the connection before its body ended');
  if (!body.ok) return refusal(body.error === 'too-slow' ? 'body-too-slow' : 'body-too-large');
  if (body.value.length === 0) return body;
  const { 'content-type': type = '', 'content-encoding': encoding } = request.headers;
  if (!JSON_TYPE.test(type)) return refusal('body-unreadable');
  const json = readJudgedJson(body.value, encoding);
  if (!json.ok) return refusal(json.error);
  const verdict = judgeBody(json.value, rule, view, { pushHosts, nvr: adapterOf(route) });
  if (verdict.kind === 'refused') return err(verdict);
  const denied = await owners.denial(verdict.owners, view, { method: request.method ?? '', target, sharer });
  if (denied) return refusal(denied);
  // Written anew, so that no key is repeated: servers differ in which of two they read.
  return ok(Buffer.from(JSON.stringify(verdict.json)));
}

/** The same for an offer of live pictures. */
export async function judgedOffer(
  request: IncomingMessage,
  obligations: SignallingObligations,
  bodySeconds: number | undefined,
): Promise<Result<OfferBody, RefusalReason>> {
  const { 'content-type': contentType = '', 'content-encoding': encoding = 'identity' } = request.headers;
  if (encoding !== 'identity') return err('offer-unreadable');
  const body = await readBody(request, limits(bodySeconds));
  if (!body.ok && body.error === 'too-slow') return err('body-too-slow');
  if (body.ok) return judgeOfferBody({ contentType, body: body.value }, obligations);
  return err(body.error === 'too-large' ? 'offer-too-large' : 'offer-unreadable');
}

/** An unreadable body is refused: the NVR may read more, for its parser also takes UTF-16. So is one that is nested without end: to walk it would exhaust the stack. */
export function readJudgedJson(body: Buffer, encoding: string | undefined): Result<unknown, RefusalReason> {
  if (encoding !== undefined && encoding !== 'identity') return err('body-unreadable');
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    return isNestedTooDeep(text) ? err('body-unreadable') : ok(JSON.parse(text));
  } catch {
    return err('body-unreadable');
  }
}
