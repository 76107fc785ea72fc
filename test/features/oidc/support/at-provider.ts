/** A person's browser at a real provider, over TLS: cookies by name and path, forms, redirects up to the way back to Postern. */
import { readFile } from 'node:fs/promises';
import { type BoundedFetch, createBoundedFetch } from '../../../../src/outbound/bounded-fetch.ts';
import { SITE } from './browser.ts';

export interface Page {
  readonly url: URL;
  readonly status: number;
  readonly text: string;
}

const MOST_REDIRECTS = 20;

export class AtProvider {
  readonly #fetch: BoundedFetch;
  readonly #cookies = new Map<string, { readonly value: string; readonly path: string }>();

  constructor({ ca }: { readonly ca: string }) {
    this.#fetch = createBoundedFetch({ seconds: 60, bytes: 1024 * 1024, ca: () => readFile(ca, 'utf8') });
  }

  /** The page at the end of all redirects; a way back to Postern is not taken, and is the page's address. */
  async open(address: URL | string, form?: Readonly<Record<string, string>>, left = MOST_REDIRECTS): Promise<Page> {
    const url = new URL(address);
    if (url.origin === SITE) return { url, status: 0, text: '' };
    if (left === 0) throw new Error(`redirects without end, at last to ${url.origin}${url.pathname}`);
    const cookie = [...this.#cookies]
      .filter(([, { path }]) => url.pathname.startsWith(path))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ');
    const response = await this.#fetch(url.href, {
      method: form ? 'POST' : 'GET',
      headers: {
        accept: 'text/html',
        ...(cookie !== '' && { cookie }),
        ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(form && { body: new URLSearchParams(form) }),
    });
    for (const line of response.headers.getSetCookie()) this.#keep(line);
    const location = response.headers.get('location');
    if (location !== null) return this.open(new URL(location, url), undefined, left - 1);
    return { url, status: response.status, text: await response.text() };
  }

  #keep(line: string): void {
    const { name = '', value = '' } = /^(?<name>[^=]+)=(?<value>[^;]*)/.exec(line)?.groups ?? {};
    const path = /;\s*path=(?<path>[^;]*)/i.exec(line)?.groups?.['path'] ?? '/';
    if (value === '' || /expires=thu, 01 jan 1970/i.test(line)) this.#cookies.delete(name);
    else this.#cookies.set(name, { value, path });
  }
}
