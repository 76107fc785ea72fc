/** Verifies API tokens: notes the use of good ones, and limits bad ones by address, apart from logins (SPEC 4.4). */
import type { ApiTokenStore, TokenUse } from '../../domain/accounts/api-token.ts';
import type { MaybePromise } from '../../domain/async/maybe-promise.ts';
import { type Clock, unixSeconds } from '../../domain/clock.ts';
import type { ApiTokenVerdict } from '../../domain/verdict.ts';
import type { Audit } from '../audit.ts';
import { createCoalescedWrites } from '../coalesced-writes.ts';
import type { LimiterPlace } from '../login/login-limiter.ts';
import type { ApiTokens, CarriedBy } from './api-tokens.ts';

export interface TokenVerifierDeps {
  readonly tokens: Pick<ApiTokens, 'verify'>;
  readonly tokenStore: Pick<ApiTokenStore, 'noteTokenUses'>;
  /** Not the login limiter: a broken client must not block logins from its address. */
  readonly tokenLimiter: { reserve(address: string): MaybePromise<LimiterPlace> };
  readonly clock: Clock;
  readonly audit: Audit;
  readonly onFault: (fault: unknown) => void;
}

export interface TokenVerifier {
  /** `address` is the client's. */
  verify(text: string, carriedBy: CarriedBy, address: string): Promise<ApiTokenVerdict>;
  /** The same for a login, which limits and records bad ones itself. */
  judge(text: string, address: string): Promise<ApiTokenVerdict>;
  /** Writes the uses that wait. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

const NAMED = /^pst_(?<id>[0-9a-f]{16})_/;

/** A good token passes, however many bad ones come from its address: others may be behind the same router. */
export function createTokenVerifier(deps: TokenVerifierDeps): TokenVerifier {
  const { tokens, tokenStore, tokenLimiter, clock, audit, onFault } = deps;
  const uses = createCoalescedWrites<TokenUse>({ write: tokenStore.noteTokenUses, clock, onFault });

  const refusal = async (
    text: string,
    address: string,
    verdict: ApiTokenVerdict & { kind: 'invalid' },
  ): Promise<ApiTokenVerdict> => {
    const place = await tokenLimiter.reserve(address);
    if (place.kind !== 'reserved') return { kind: 'invalid', reason: 'limited' };
    place.keep();
    const tokenId = NAMED.exec(text)?.groups?.['id'];
    const what = { what: 'token-refused', who: undefined, from: address, verdict: 'refused' } as const;
    audit({ ...what, reason: verdict.reason, ...(tokenId !== undefined && { tokenId }) });
    return verdict;
  };

  const noted = async (text: string, carriedBy: CarriedBy, address: string): Promise<ApiTokenVerdict> => {
    const verdict = await tokens.verify(text, carriedBy);
    if (verdict.kind === 'valid' && verdict.caller.credential.kind === 'api-token') {
      const { tokenId: id } = verdict.caller.credential;
      uses.note(id, () => ({ id, at: unixSeconds(clock), from: address }));
    }
    return verdict;
  };

  return {
    flush: uses.flush,
    close: uses.close,
    async verify(text, carriedBy, address) {
      const verdict = await noted(text, carriedBy, address);
      return verdict.kind === 'invalid' ? refusal(text, address, verdict) : verdict;
    },
    judge: (text, address) => noted(text, 'bearer', address),
  };
}
