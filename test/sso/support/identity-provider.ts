/** A real OpenID Connect provider (`oidc-provider`) on port 0, with a login form of one field. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import Provider from 'oidc-provider';

export interface IdentityProvider {
  readonly issuer: string;
  close(): Promise<void>;
}

export interface Client {
  readonly id: string;
  readonly secret: string;
  readonly redirectUri: string;
}

/** `groupsOf`: who there is, and the groups of each. */
export async function startIdentityProvider(
  client: Client,
  groupsOf: Readonly<Record<string, readonly string[]>>,
): Promise<IdentityProvider> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, await configuration(client, groupsOf));
  const answer = provider.callback();
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (!request.url?.startsWith('/interaction/')) return answer(request, response);
    interact(provider, request, response).catch((fault) => response.writeHead(500).end(String(fault)));
  });
  return { issuer, close: () => closed(server) };
}

async function configuration(client: Client, groupsOf: Readonly<Record<string, readonly string[]>>) {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  return {
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        redirect_uris: [client.redirectUri],
        response_types: ['code'],
        grant_types: ['authorization_code'],
      },
    ],
    scopes: ['openid', 'profile', 'groups'],
    claims: { openid: ['sub'], profile: ['preferred_username'], groups: ['groups'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    cookies: { keys: ['only-for-this-test'] },
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig' }] },
    ttl: { Interaction: 60, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
    pkce: { required: () => false },
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
    response.end('<form method="post"><input name="user"><button>Log in</button></form>');
    return;
  }
  let body = '';
  for await (const chunk of request) body += chunk;
  const accountId = new URLSearchParams(body).get('user') ?? '';
  await provider.interactionFinished(request, response, { login: { accountId } });
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}
