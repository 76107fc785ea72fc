/** The request headers for the upstream: the client's, stripped, plus identity and forwarding headers of Postern (SPEC 6). */
import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '../../domain/caller.ts';
import { senderOf } from '../../domain/credentials.ts';
import { headerLines, type RequestFacts } from '../../domain/request.ts';
import type { Client } from '../decision/client.ts';
import { type StripRules, strippedHeaders } from './strip-headers.ts';

export interface HeaderRules extends StripRules {
  /** The secret for an NVR that trusts headers on its own authenticated port. */
  readonly nvrSecret: string | undefined;
}

export interface Forwarding {
  readonly caller: Caller | undefined;
  readonly client: Client;
  readonly requestId: string;
}

const BODY_EXPECTED: readonly string[] = ['POST', 'PUT', 'PATCH'];

/** The headers to send. Pure: the client's are not touched. */
export function rewriteHeaders(request: RequestFacts, forwarding: Forwarding, rules: HeaderRules): IncomingHttpHeaders {
  const headers = strippedHeaders(request, rules);
  if (request.isUpgrade) {
    delete headers['content-length']; // at most a 0, which some servers refuse here
    Object.assign(headers, { connection: 'Upgrade', upgrade: 'websocket' });
  }
  // Without a length Node would frame the empty body as chunked: another request than the one judged.
  const isUnframed = headers['content-length'] === undefined && headers['transfer-encoding'] === undefined;
  if (isUnframed && BODY_EXPECTED.includes(request.method)) headers['content-length'] = '0';
  addForwarded(headers, request, forwarding);
  addIdentity(headers, forwarding.caller, rules);
  return headers;
}

function addForwarded(
  headers: IncomingHttpHeaders,
  request: RequestFacts,
  { client, requestId }: Pick<Forwarding, 'client' | 'requestId'>,
): void {
  const chain = client.viaTrustedProxy ? headerLines(request, 'x-forwarded-for') : [];
  headers['x-forwarded-for'] = chain.length === 0 ? request.peer : [...chain, request.peer].join(', ');
  headers['x-forwarded-proto'] = client.encrypted ? 'https' : 'http';
  headers['x-forwarded-host'] = client.host;
  headers['x-real-ip'] = client.address;
  headers['x-request-id'] = requestId;
  if (client.basePath !== undefined) headers['x-ingress-path'] = client.basePath;
}

function addIdentity(headers: IncomingHttpHeaders, caller: Caller | undefined, rules: HeaderRules): void {
  if (!caller) {
    if (rules.nvrSecret !== undefined) headers['x-proxy-secret'] = rules.nvrSecret;
    return;
  }
  // Nothing is ever sent in the name of a person who is viewed: the role alone cuts the response.
  Object.assign(headers, identityHeaders(asciiOf(senderOf(caller).name), asciiOf(caller.role), rules.nvrSecret));
}

/** Who asks, as the NVR reads it: one that trusts headers on its authenticated port, behind a secret, takes groups for roles. */
export const identityHeaders = (user: string, role: string, nvrSecret: string | undefined): Record<string, string> => ({
  'remote-user': user,
  'remote-role': role,
  ...(nvrSecret !== undefined && { 'remote-groups': role, 'x-proxy-secret': nvrSecret }),
});

/** A header value is bytes to some and text to others: outside ASCII, percent-encoded UTF-8 is read alike by all. */
export const asciiOf = (text: string): string =>
  ASCII.test(text) ? text : text.replaceAll(/[^\x21-\x7e]+/gu, encodeURIComponent);

const ASCII = /^[\x21-\x7e]*$/;
