/** Session tokens and the state of their users, remembered: no signature check and no query twice for the same answer (SPEC 4.2). */
import { hash } from 'node:crypto';
import type { CryptoKey } from 'jose';
import { LRUCache } from 'lru-cache';
import type { AccountStore } from '../../domain/accounts/account.ts';
import { type MaybePromise, mapMaybe } from '../../domain/async/maybe-promise.ts';
import { upTo } from '../../domain/bounded.ts';
import { readSessionToken, type SessionClaims } from './session-jwt.ts';
import { type SessionState, secretsDigestOf } from './session-state.ts';
import type { StoreGrace } from './store-grace.ts';

export type TokenReading = Awaited<ReturnType<typeof readSessionToken>>;
type SessionName = Pick<SessionClaims, 'userName' | 'tokenId'>;

export const REMEMBERED_TOKENS = 5000;

/** Reads a token, whatever the time. Tokens with a good signature are remembered by their digest. */
export function createTokenReader(key: CryptoKey): (token: string) => MaybePromise<TokenReading> {
  const signed = new LRUCache<string, TokenReading>(upTo(REMEMBERED_TOKENS));
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

export interface StateLookupDeps {
  readonly store: Pick<AccountStore, 'findUser' | 'isRevoked'>;
  readonly grace: StoreGrace;
  /** Whether this process ended the session, even where the store could not be told yet. */
  readonly isEndedHere: (tokenId: string) => boolean;
}

/** What the store says of a session: remembered while nothing changes, and for a grace while the store cannot be reached. */
export function createStateLookup({
  store,
  grace,
  isEndedHere,
}: StateLookupDeps): (session: SessionName) => MaybePromise<SessionState> {
  const remembered = grace.memory<SessionState>(REMEMBERED_TOKENS, {
    rowsOf(key) {
      const [userName = '', tokenId = ''] = key.split(' ', 2);
      return [`users ${userName}`, `revoked_tokens ${tokenId}`];
    },
    inGrace: (state) => ({ ...state, isInGrace: true }),
  });
  const read = async ({ userName, tokenId }: SessionName): Promise<SessionState> => {
    const [user, isRevoked] = await Promise.all([store.findUser(userName), store.isRevoked(tokenId)]);
    return { user, isRevoked, secretsDigest: user && secretsDigestOf(user) };
  };
  return (session) => {
    const { userName, tokenId } = session;
    return mapMaybe(
      remembered(`${userName} ${tokenId}`, () => read(session)),
      (state) => (isEndedHere(tokenId) ? { ...state, isRevoked: true } : state),
    );
  };
}
