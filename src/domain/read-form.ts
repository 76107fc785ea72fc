/** The fields of a form, as browsers send them without script, and providers their messages. */
import { type BodyFault, type BodyLimits, type BodySource, readBody } from './read-body.ts';

interface FormSource extends BodySource {
  readonly headers: BodySource['headers'] & { readonly 'content-type'?: string | undefined };
}

export type FormOutcome =
  | { readonly kind: 'read'; readonly fields: URLSearchParams }
  | { readonly kind: 'not-a-form' | BodyFault };

const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;

export async function readForm(request: FormSource, limits: BodyLimits): Promise<FormOutcome> {
  if (!FORM_TYPE.test(request.headers['content-type'] ?? '')) return { kind: 'not-a-form' };
  const body = await readBody(request, limits);
  return body.ok ? { kind: 'read', fields: new URLSearchParams(body.value.toString()) } : { kind: body.error };
}
