/** The fields of an HTML form that a browser sent without script. */
import type { IncomingMessage } from 'node:http';
import { type BodyFault, type BodyLimits, readBody } from '../domain/read-body.ts';

export type FormOutcome =
  | { readonly kind: 'read'; readonly fields: URLSearchParams }
  | { readonly kind: 'not-a-form' | BodyFault };

const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;

export async function readForm(request: IncomingMessage, limits: BodyLimits): Promise<FormOutcome> {
  if (!FORM_TYPE.test(request.headers['content-type'] ?? '')) return { kind: 'not-a-form' };
  const body = await readBody(request, limits);
  return body.ok ? { kind: 'read', fields: new URLSearchParams(body.value.toString()) } : { kind: body.error };
}
