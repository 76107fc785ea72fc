/** Session tokens and the state of their users, remembered: no signature check and no query twice for the same answer (SPEC 4.2). */
import { hash } from 'node:crypto';
import type { CryptoKey } from 'jose';
import { LRUCache } from 'lru-cache';
import type { AccountStore } from '../../domain/account.ts';
import type { MaybePromise } from '../../domain/maybe-promise.ts';
import { readSessionToken, type SessionClaims } from './session-jwt.ts';
import { generationOf, type SessionState } from './session-state.ts';

export type TokenReading = Awaited<ReturnType<typeof readSessionToken>>;
type SessionName = Pick<SessionClaims, 'userName' | 'tokenId'>;

export const REMEMBERED_TOKENS = 5000;

/** Reads a token, whatever the time. Tokens with a good signature are remembered by their digest. */
export function createTokenReader(key: CryptoKey): (token: string) => MaybePromise<TokenReading> {
  const signed = new LRUCache<string, TokenReading>({ max: REMEMBERED_TOKENS });
  const check = async (token: string, digest: string): Promise<TokenReading> => {
    const reading = await readSessionToken(token, key);
    if (reading.ok) signed.set(digest, reading);
    return reading;
  };
  return (token) => {
    const digest = hash('sha256', token, 'base64url');
    return signed.get(digest) ?? check(token, digest);
  };
}

/** What the store says of a session. Remembered while `version` stays the same; without a version it is read each time. */
export function createStateLookup(
  store: Pick<AccountStore, 'findUser' | 'isRevoked'>,
  version?: () => string,
): (session: SessionName) => MaybePromise<SessionState> {
  const states = new LRUCache<string, SessionState>({ max: REMEMBERED_TOKENS });
  const read = async ({ userName, tokenId }: SessionName, asOf: string | undefined): Promise<SessionState> => {
    const [user, isRevoked] = await Promise.all([store.findUser(userName), store.isRevoked(tokenId)]);
    const state = { version: asOf, user, isRevoked, generation: user && generationOf(user) };
    states.set(`${userName} ${tokenId}`, state);
    return state;
  };
  return (session) => {
    const asOf = version?.();
    const remembered = states.get(`${session.userName} ${session.tokenId}`);
    const holds = remembered && asOf !== undefined && remembered.version === asOf;
    return holds ? remembered : read(session, asOf);
  };
}
