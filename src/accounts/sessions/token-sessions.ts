/** Sessions that were begun with an API token: worth exactly what the token is worth, and over with it (SPEC 4.1, 4.4). */
import { randomUUID } from 'node:crypto';
import type { CryptoKey } from 'jose';
import type { Caller, Credential } from '../../domain/caller.ts';
import { signSessionToken } from './session-jwt.ts';

type TokenCredential = Extract<Credential, { kind: 'api-token' }>;
export type TokenCaller = Caller & { readonly credential: TokenCredential };

/** A session as its own token names it. */
export interface TokenSession {
  readonly tokenId: string;
  readonly expiresAt: number;
  readonly apiToken: string;
}

/** No digest of secrets is spelt so: whatever takes such a token for a session of the person's own refuses it. */
const NO_SECRETS = 'api-token';

/** `lifetime` in seconds. The session ends with the token at the latest. Give `issuedAt` in Unix seconds. */
export async function signTokenSession(
  { name, role, credential }: TokenCaller,
  issuedAt: number,
  lifetime: number,
  key: CryptoKey,
): Promise<string> {
  const expiresAt = Math.min(issuedAt + lifetime, credential.expiresAt ?? Number.POSITIVE_INFINITY);
  const named = {
    userName: name,
    role,
    tokenId: randomUUID(),
    secretsDigest: NO_SECRETS,
    apiToken: credential.tokenId,
  };
  return signSessionToken({ ...named, issuedAt, expiresAt, authenticatedAt: issuedAt }, key);
}

/** The caller of a session, by what the token is worth now; undefined when the token is no longer good for it. */
export function inTokenSession(
  caller: Caller | undefined,
  { tokenId, expiresAt }: TokenSession,
  user: string,
  carriedBy: TokenCredential['carriedBy'] & {},
): Caller | undefined {
  if (caller?.name !== user || !mayLogIn(caller)) return undefined;
  const { credential } = caller;
  const end = Math.min(expiresAt, credential.expiresAt ?? Number.POSITIVE_INFINITY);
  return { ...caller, credential: { ...credential, carriedBy, expiresAt: end, session: { tokenId, expiresAt } } };
}

export const mayLogIn = (caller: Caller): caller is TokenCaller =>
  caller.credential.kind === 'api-token' && caller.credential.logsIn === true;
