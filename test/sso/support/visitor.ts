/** A person's browser, as far as a sign-in needs one: it keeps cookies by origin and follows redirects. */
import { type Answered, ask } from './ask.ts';

export interface Visitor {
  /** The page at the end of all redirects, and where that is. */
  open(url: string, form?: Readonly<Record<string, string>>): Promise<Answered & { readonly url: string }>;
  /** As a script of the page asks. */
  fetch(
    url: string,
    options?: { readonly method?: string; readonly headers?: readonly (readonly [string, string])[] },
  ): Promise<Answered>;
}

const MOST_REDIRECTS = 20;

export function createVisitor(): Visitor {
  const jars = new Map<string, Map<string, string>>();

  const send = async (
    url: URL,
    method: string,
    headers: readonly (readonly [string, string])[],
    body?: string,
  ): Promise<Answered> => {
    const jar = jars.get(url.host) ?? new Map<string, string>();
    jars.set(url.host, jar);
    const cookies = [...jar].map((pair) => pair.join('=')).join('; ');
    const cookie: [string, string][] = cookies === '' ? [] : [['Cookie', cookies]];
    const asked = {
      method,
      path: `${url.pathname}${url.search}`,
      headers: [['Host', url.host] as const, ...cookie, ...headers],
    };
    const answer = await ask(Number(url.port), { ...asked, ...(body === undefined ? {} : { body }) });
    for (const line of answer.headers['set-cookie'] ?? []) keep(jar, line);
    return answer;
  };

  const follow = async (url: URL, answer: Answered, left: number): Promise<Answered & { url: string }> => {
    const { location } = answer.headers;
    if (location === undefined || answer.status < 300 || answer.status > 399) return { ...answer, url: url.href };
    if (left === 0) throw new Error(`redirects without end, at last to ${location}`);
    const next = new URL(location, url);
    return follow(next, await send(next, 'GET', NAVIGATION), left - 1);
  };

  return {
    async open(address, form) {
      const url = new URL(address);
      const sent = form
        ? send(
            url,
            'POST',
            [...NAVIGATION, ['Content-Type', 'application/x-www-form-urlencoded']],
            String(new URLSearchParams(form)),
          )
        : send(url, 'GET', NAVIGATION);
      return follow(url, await sent, MOST_REDIRECTS);
    },
    fetch: (address, { method = 'GET', headers = [] } = {}) => send(new URL(address), method, headers),
  };
}

const NAVIGATION: readonly (readonly [string, string])[] = [
  ['Accept', 'text/html'],
  ['Sec-Fetch-Mode', 'navigate'],
];

function keep(jar: Map<string, string>, line: string): void {
  const [pair = '', ...attributes] = line.split(';');
  const at = pair.indexOf('=');
  const isGone = attributes.some((attribute) => /^\s*(?:max-age=0|expires=thu, 01 jan 1970)/i.test(attribute));
  if (isGone) jar.delete(pair.slice(0, at).trim());
  else jar.set(pair.slice(0, at).trim(), pair.slice(at + 1).trim());
}
