/** As much of a browser as a sign-in needs: cookies by name and path, redirects by hand. */
import assert from 'node:assert/strict';
import type { Runtime } from '../../../support/start-instance.ts';
import { CLIENT, type Claims, type FakeProvider, type Signing } from './fake-provider.ts';

/** The address of the service as the provider knows it. */
export const SITE = 'https://cameras.example.org';

export interface Begun {
  /** The parameters of the address at the provider. */
  readonly asked: URLSearchParams;
  readonly address: URL;
}

export class Visitor {
  readonly #cookies = new Map<string, { readonly value: string; readonly path: string }>();
  readonly #instance: Pick<Runtime, 'url'>;

  constructor(instance: Pick<Runtime, 'url'>) {
    this.#instance = instance;
  }

  /** As the browser's own navigation; what the answer sets is kept. */
  async visit(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers({ accept: 'text/html', ...Object.fromEntries(new Headers(init.headers)) });
    const cookies = this.cookiesFor(path.replace(/\?.*/, ''));
    if (cookies !== '') headers.set('cookie', cookies);
    const response = await fetch(`${this.#instance.url}${path}`, { redirect: 'manual', ...init, headers });
    for (const line of response.headers.getSetCookie()) this.#keep(line);
    return response;
  }

  /** As a script of one of the service's pages. */
  ask(method: string, path: string, body?: unknown): Promise<Response> {
    return this.visit(path, {
      method,
      headers: { accept: 'application/json', 'content-type': 'application/json', 'x-csrf-token': '1' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  cookiesFor(path: string): string {
    return [...this.#cookies]
      .filter(([, cookie]) => path.startsWith(cookie.path))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ');
  }

  namesOfCookies(): readonly string[] {
    return [...this.#cookies.keys()];
  }

  /** Another browser with the same cookies. */
  copyTo(other: Visitor): void {
    for (const [name, cookie] of this.#cookies) other.#cookies.set(name, cookie);
  }

  #keep(line: string): void {
    const {
      name = '',
      value = '',
      path = '/',
    } = /^(?<name>[^=]+)=(?<value>[^;]*).*?Path=(?<path>[^;]*)/i.exec(line)?.groups ?? {};
    if (value === '' || /Max-Age=0(?:;|$)/.test(line)) this.#cookies.delete(name);
    else this.#cookies.set(name, { value, path });
  }

  /** Presses the button of a provider. */
  async begin(provider = 'home', returnTo = ''): Promise<Begun> {
    const query = returnTo === '' ? '' : `?${new URLSearchParams({ return_to: returnTo })}`;
    const response = await this.visit(`/api/login/oidc/${provider}${query}`);
    assert.equal(response.status, 302, await response.clone().text());
    const address = new URL(response.headers.get('location') ?? '');
    return { address, asked: address.searchParams };
  }

  /** Comes back from the provider with its answer. */
  comeBack(
    begun: Pick<Begun, 'asked'>,
    more: Readonly<Record<string, string>> = {},
    provider = 'home',
  ): Promise<Response> {
    const state = begun.asked.get('state') ?? '';
    const answer = new URLSearchParams({ code: 'a-code', state, ...more });
    return this.visit(`/api/login/oidc/${provider}/callback?${answer}`);
  }

  /** A whole sign-in at a provider that vouches for the claims. */
  async signIn(provider: FakeProvider, claims: Claims, signing?: Signing): Promise<Response> {
    const begun = await this.begin();
    await vouch(provider, { nonce: begun.asked.get('nonce'), ...claims }, signing);
    return this.comeBack(begun, { iss: provider.issuer });
  }
}

/** The next answer of the token endpoint. */
export async function vouch(provider: FakeProvider, { sub, ...more }: Claims, signing?: Signing): Promise<void> {
  const id_token = await provider.sign(provider.claimsFor(String(sub ?? 'ann'), more), signing);
  provider.answers.token = { access_token: 'an-access-token', token_type: 'Bearer', id_token };
}

/** The configuration for one provider. */
export const oidcConfig = (
  provider: Pick<FakeProvider, 'issuer' | 'ca'>,
  more: Readonly<Record<string, unknown>> = {},
) => ({
  server: { public_url: SITE },
  auth: {
    roles: { front_only: ['cam1'], back_only: ['cam2'] },
    oidc: [
      {
        name: 'home',
        label: 'Home account',
        issuer: provider.issuer,
        ca: provider.ca,
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        role_map: { admin: ['owners'], front_only: ['front'], back_only: ['back'] },
        create: true,
        ...more,
      },
    ],
  },
});
