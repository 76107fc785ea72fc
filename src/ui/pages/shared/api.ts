/** Asking Postern's API: every outcome is a value, and none of them is an exception. */
import { baseUrl } from './base-url.ts';

export type Answer =
  | { readonly kind: 'ok'; readonly body: unknown; readonly link: string | null }
  /** Nobody is logged in (any more); `location` is where the answer says to go. */
  | { readonly kind: 'login-needed'; readonly location: string | null }
  | { readonly kind: 'refused'; readonly status: number; readonly message: string }
  | { readonly kind: 'unreachable' }
  /** The page asked for something newer meanwhile. */
  | { readonly kind: 'aborted' };

/** `path` is relative to the base path: `api/profile`. */
export async function askApi(path: string, signal?: AbortSignal): Promise<Answer> {
  try {
    const answer = await fetch(new URL(path, baseUrl), {
      headers: { Accept: 'application/json' },
      redirect: 'manual',
      ...(signal ? { signal } : {}),
    });
    return await readAnswer(answer);
  } catch {
    return signal?.aborted ? { kind: 'aborted' } : { kind: 'unreachable' };
  }
}

async function readAnswer(answer: Response): Promise<Answer> {
  // A browser hides where a 302 or 307 leads: a proxy in front wants a login, and shows it when the page is loaded anew.
  if (answer.type === 'opaqueredirect') return { kind: 'login-needed', location: location.href };
  if (answer.status === 401) return { kind: 'login-needed', location: answer.headers.get('Location') };
  const text = await answer.text();
  const body = parseJson(text);
  if (!answer.ok) return { kind: 'refused', status: answer.status, message: messageOf(body, answer.status) };
  if (body === undefined) return { kind: 'refused', status: answer.status, message: 'The answer could not be read.' };
  return { kind: 'ok', body, link: answer.headers.get('Link') };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function messageOf(body: unknown, status: number): string {
  const { message, detail } = Object(body);
  if (typeof message === 'string' && message !== '') return message;
  if (typeof detail === 'string' && detail !== '') return detail;
  return `The recorder answered with status ${status}.`;
}
