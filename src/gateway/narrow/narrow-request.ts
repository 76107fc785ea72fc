/** A body that must be judged before it is sent: read whole, within bounds, and sent as it was understood (SPEC 5). */
import type { IncomingMessage } from 'node:http';
import type { Obligations, SignallingObligations } from '../../access/access-verdict.ts';
import { judgeBody } from '../../access/judge-body.ts';
import { judgeOfferBody, LARGEST_OFFER, type OfferBody } from '../../access/live-offer.ts';
import type { RefusalReason } from '../../domain/refusal.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { Admitted } from '../decision/admit.ts';
import type { OwnerLookup } from '../decision/owner-lookup.ts';

/** Bytes. A list of ids, what to export, or an offer: each is far smaller. */
const LARGEST_JUDGED_BODY = LARGEST_OFFER;

/** The body to send in the place of the request's own, or why it may not be sent. */
export async function judgedBody(
  request: IncomingMessage,
  { target }: Admitted,
  { body: rule, view }: Obligations,
  owners: OwnerLookup,
): Promise<Result<Buffer | undefined, RefusalReason>> {
  if (!rule) return ok(undefined);
  const body = await readWhole(request);
  if (!body) return err('body-too-large');
  if (body.length === 0) return ok(body);
  const json = asJson(body, request.headers['content-encoding']);
  if (!json.ok) return json;
  const verdict = judgeBody(json.value, rule, view);
  if (verdict.kind === 'refused') return err(verdict.reason);
  const denied = await owners.denial(verdict.owners, view, { method: request.method ?? '', target });
  if (denied) return err(denied);
  // In a spelling of our own no key stands twice: which of two counts differs from server to server.
  return ok(Buffer.from(JSON.stringify(json.value)));
}

/** The same for an offer of live pictures. */
export async function judgedOffer(
  request: IncomingMessage,
  obligations: SignallingObligations,
): Promise<Result<OfferBody, RefusalReason>> {
  const { 'content-type': contentType = '', 'content-encoding': encoding = 'identity' } = request.headers;
  if (encoding !== 'identity') return err('offer-unreadable');
  try {
    const body = await readWhole(request);
    return body ? judgeOfferBody({ contentType, body }, obligations) : err('offer-too-large');
  } catch {
    return err('offer-unreadable'); // the client has left in the middle of it
  }
}

/** Undefined when it is too large; rejects when the client goes away. */
async function readWhole(request: IncomingMessage): Promise<Buffer | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > LARGEST_JUDGED_BODY) return undefined;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length;
    if (bytes > LARGEST_JUDGED_BODY) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** What this cannot read, the NVR might read otherwise: its parser takes UTF-16 as well. */
function asJson(body: Buffer, encoding: string | undefined): Result<unknown, RefusalReason> {
  if (encoding !== undefined && encoding !== 'identity') return err('body-unreadable');
  try {
    return ok(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)));
  } catch {
    return err('body-unreadable');
  }
}
