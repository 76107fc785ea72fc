/** The fields of a form sent without JavaScript, with a limit of size and time. */
import type { IncomingMessage } from 'node:http';

export type FormOutcome =
  | { readonly kind: 'read'; readonly fields: URLSearchParams }
  | { readonly kind: 'not-a-form' | 'too-large' | 'gone' };

export interface FormLimits {
  readonly bytes: number;
  readonly seconds: number;
}

const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;

export async function readForm(request: IncomingMessage, { bytes, seconds }: FormLimits): Promise<FormOutcome> {
  if (!FORM_TYPE.test(request.headers['content-type'] ?? '')) return { kind: 'not-a-form' };
  const chunks: Buffer[] = [];
  let size = 0;
  const deadline = setTimeout(() => request.destroy(), seconds * 1000);
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      size += chunk.length;
      if (size > bytes) return { kind: 'too-large' };
      chunks.push(chunk);
    }
    return { kind: 'read', fields: new URLSearchParams(Buffer.concat(chunks).toString()) };
  } catch {
    return { kind: 'gone' };
  } finally {
    clearTimeout(deadline);
  }
}
