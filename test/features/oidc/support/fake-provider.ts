/** A provider of OpenID Connect on port 0, over TLS, that answers just what a test wants: also what no real one would. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CryptoKey, exportJWK, generateKeyPair, type JWTHeaderParameters, SignJWT } from 'jose';
import { makeServed } from '../../../support/served-certificate.ts';

export const CLIENT = { id: 'postern', secret: 'a-secret-of-the-client' } as const;

export type Claims = Readonly<Record<string, unknown>>;

export interface Signing {
  readonly header?: Partial<JWTHeaderParameters>;
  readonly key?: CryptoKey | Uint8Array;
}

/** A member may be a text to send as it stands, with that status. */
export interface Answers {
  discovery?: Claims | { readonly status: number; readonly headers?: Record<string, string>; readonly body: string };
  /** What the token endpoint sends; a promise is waited for. */
  token?:
    | Claims
    | Promise<Claims>
    | { readonly status: number; readonly headers?: Record<string, string>; readonly body: string };
  userinfo?: Claims;
  /** No answer at all to these paths. */
  silent?: readonly string[];
}

export interface FakeProvider {
  readonly issuer: string;
  /** The file with its certificate. */
  readonly ca: string;
  /** Requests so far, as `GET /path`, with the form of each. */
  readonly asked: { readonly what: string; readonly form: URLSearchParams; readonly authorization: string }[];
  answers: Answers;
  /** Of the last token that was signed. */
  lastSubject: unknown;
  /** A token signed by the provider, or otherwise. */
  sign(claims: Claims, signing?: Signing): Promise<string>;
  /** Claims that hold for now. */
  claimsFor(subject: string, more?: Claims): Claims;
  /** New keys; those of before are gone. */
  rotate(): Promise<void>;
  close(): Promise<void>;
}

export async function startFakeProvider(now: () => number): Promise<FakeProvider> {
  const { certificate, privateKey } = await makeServed();
  const directory = mkdtempSync(join(tmpdir(), 'postern-provider-'));
  const ca = join(directory, 'ca.pem');
  writeFileSync(ca, certificate);
  const asked: FakeProvider['asked'] = [];
  let [keys, kid] = [await generateKeyPair('ES256', { extractable: true }), 1];
  const server = createServer({ cert: certificate, key: privateKey });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    void answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const document = {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/jwks`,
    end_session_endpoint: `${issuer}/logout`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic'],
    authorization_response_iss_parameter_supported: true,
  };
  const provider: FakeProvider = {
    issuer,
    ca,
    asked,
    answers: {},
    lastSubject: undefined,
    sign: (claims, { header = {}, key = keys.privateKey } = {}) => {
      provider.lastSubject = claims['sub'];
      return new SignJWT({ ...claims }).setProtectedHeader({ alg: 'ES256', kid: String(kid), ...header }).sign(key);
    },
    claimsFor: (subject, more = {}) => ({
      iss: issuer,
      aud: CLIENT.id,
      sub: subject,
      iat: now(),
      exp: now() + 300,
      preferred_username: subject,
      ...more,
    }),
    async rotate() {
      [keys, kid] = [await generateKeyPair('ES256', { extractable: true }), kid + 1];
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      rmSync(directory, { recursive: true });
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', issuer);
    const form = new URLSearchParams((await request.toArray()).join(''));
    asked.push({ what: `${request.method} ${pathname}`, form, authorization: request.headers.authorization ?? '' });
    if (provider.answers.silent?.includes(pathname)) return;
    const bodies: Readonly<Record<string, () => Promise<unknown> | unknown>> = {
      '/.well-known/openid-configuration': () => provider.answers.discovery ?? document,
      '/jwks': async () => ({
        keys: [{ ...(await exportJWK(keys.publicKey)), alg: 'ES256', use: 'sig', kid: String(kid) }],
      }),
      '/token': () => provider.answers.token ?? { error: 'invalid_grant' },
      '/authorize': () => ({}),
      '/userinfo': () => provider.answers.userinfo ?? { sub: provider.lastSubject },
    };
    const made = await bodies[pathname]?.();
    if (made && typeof made === 'object' && 'body' in made && 'status' in made) {
      const { status, headers = {}, body } = made as { status: number; headers?: Record<string, string>; body: string };
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
      return;
    }
    const status = made === undefined ? 404 : 'error' in Object(made) ? 400 : 200;
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(made ?? {}));
  }
  return provider;
}
