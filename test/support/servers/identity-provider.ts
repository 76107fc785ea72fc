/** A real OpenID Connect provider (`oidc-provider`) on port 0, with a login form: a name, and how the person proved to be it. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK, generateKeyPair } from 'jose';
import Provider from 'oidc-provider';
import { makeServed } from '../served-certificate.ts';

export interface IdentityProvider {
  readonly issuer: string;
  /** The file with its certificate; empty without TLS. */
  readonly ca: string;
  close(): Promise<void>;
}

export interface Client {
  readonly id: string;
  readonly secret: string;
  readonly redirectUri: string;
  /** Whether it must send a code challenge. */
  readonly needsPkce?: boolean;
  /** Where the provider may lead after a logout. */
  readonly afterLogout?: string;
  /** Told when a session at the provider ends, with its `sid`. */
  readonly backchannelLogout?: string;
}

export interface IdentityProviderOptions {
  readonly isTls?: boolean;
  /** Sends what the provider tells its clients. */
  readonly fetch?: (url: URL | string, init: RequestInit) => Promise<Response>;
}

/** `groupsOf`: who there is, and the groups of each. It is read at each login. */
export async function startIdentityProvider(
  client: Client,
  groupsOf: Readonly<Record<string, readonly string[]>>,
  { isTls = false, fetch }: IdentityProviderOptions = {},
): Promise<IdentityProvider> {
  const directory = mkdtempSync(join(tmpdir(), 'postern-provider-'));
  const ca = join(directory, 'ca.pem');
  const { certificate = '', privateKey = '' } = isTls ? await makeServed() : {};
  writeFileSync(ca, certificate);
  const server = isTls ? createTlsServer({ cert: certificate, key: privateKey }) : createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `${isTls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, { ...(await configuration(client, groupsOf)), ...(fetch && { fetch }) });
  const answer = provider.callback();
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (!request.url?.startsWith('/interaction/')) return answer(request, response);
    interact(provider, request, response).catch((fault) => response.writeHead(500).end(String(fault)));
  });
  return {
    issuer,
    ca,
    async close() {
      await closed(server);
      rmSync(directory, { recursive: true });
    },
  };
}

async function configuration(client: Client, groupsOf: Readonly<Record<string, readonly string[]>>) {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const { afterLogout, backchannelLogout } = client;
  return {
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        redirect_uris: [client.redirectUri],
        response_types: ['code'],
        grant_types: ['authorization_code'],
        ...(afterLogout !== undefined && { post_logout_redirect_uris: [afterLogout] }),
        ...(backchannelLogout !== undefined && {
          backchannel_logout_uri: backchannelLogout,
          backchannel_logout_session_required: true,
        }),
      },
    ],
    scopes: ['openid', 'profile', 'groups'],
    claims: { openid: ['sub', 'amr'], profile: ['preferred_username'], groups: ['groups'] },
    features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: backchannelLogout !== undefined } },
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    cookies: { keys: ['only-for-this-test'] },
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig' }] },
    ttl: { Interaction: 60, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
    pkce: { required: () => client.needsPkce ?? false },
    findAccount: (_context: unknown, id: string) =>
      groupsOf[id] && { accountId: id, claims: () => ({ sub: id, preferred_username: id, groups: groupsOf[id] }) },
  };
}

/** The login is a form; consent is given at once. */
async function interact(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { prompt, params, session } = await provider.interactionDetails(request, response);
  if (prompt.name === 'consent') {
    const grant = new provider.Grant({ accountId: session?.accountId ?? '', clientId: params.client_id });
    grant.addOIDCScope(params.scope);
    return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
  }
  if (request.method !== 'POST') {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<form method="post"><input name="user"><input name="amr"><button>Log in</button></form>');
    return;
  }
  let body = '';
  for await (const chunk of request) body += chunk;
  const form = new URLSearchParams(body);
  const amr = form.getAll('amr').filter((method) => method !== '');
  const login = { accountId: form.get('user') ?? '', ...(amr.length > 0 && { amr }) };
  await provider.interactionFinished(request, response, { login });
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}
