/** Who an API token says is calling: `Authorization: Bearer pst_…`, or as the password of Basic (SPEC 4.4). */

import { type MaybePromise, mapMaybe } from '../domain/async/maybe-promise.ts';
import { ownCredentials } from '../domain/identity/own-credential.ts';
import type { RequestFacts } from '../domain/request.ts';
import type { ApiTokenVerdict, IdentitySource, IdentityVerdict } from '../domain/verdict.ts';
import type { ApiTokenTrace, Trace } from './identity-trace.ts';

export interface ApiTokenSourceOptions {
  readonly verify: (token: string, carriedBy: 'bearer' | 'basic', address: string) => MaybePromise<ApiTokenVerdict>;
  /** The client's address, behind trusted proxies. */
  readonly addressOf: (request: RequestFacts) => string;
  readonly trace?: Trace<ApiTokenTrace> | undefined;
}

const SILENT: IdentityVerdict = { kind: 'silent' };
const REFUSED: IdentityVerdict = { kind: 'refused', reason: 'token-invalid' };
const LIMITED: IdentityVerdict = { kind: 'refused', reason: 'tokens-limited' };

/** Bearer tokens without `pst_`, and the passwords of people, are not this source's to judge. */
export function createApiTokenSource({ verify, addressOf, trace }: ApiTokenSourceOptions): IdentitySource {
  return {
    name: 'api-token',
    identify(request) {
      const own = ownCredentials(request);
      const found = own.find(({ kind }) => kind === 'api-token');
      if (!found) return SILENT;
      // Two of ours are two answers to one question, even when both are the same.
      if (own.length > 1) return REFUSED;
      const { token, carriedBy } = found;
      return mapMaybe(verify(token, carriedBy, addressOf(request)), (verdict) => {
        const outcome = verdict.kind === 'valid' ? 'valid' : verdict.reason;
        trace?.({ source: 'api-token', carriedBy, outcome }, request);
        if (verdict.kind === 'valid') return { kind: 'identified', caller: verdict.caller };
        return verdict.reason === 'limited' ? LIMITED : REFUSED;
      });
    },
  };
}
