/** Who an API token says is calling: `Authorization: Bearer pst_…`, or as the password of Basic (SPEC 4.4). */

import { type MaybePromise, mapMaybe } from '../domain/async/maybe-promise.ts';
import { headerLines, type RequestFacts } from '../domain/request.ts';
import type { ApiTokenVerdict, IdentitySource, IdentityVerdict } from '../domain/verdict.ts';
import type { ApiTokenTrace, Trace } from './identity-trace.ts';

export interface ApiTokenSourceOptions {
  readonly verify: (token: string, carriedBy: 'bearer' | 'basic', address: string) => MaybePromise<ApiTokenVerdict>;
  /** The client's address, behind trusted proxies. */
  readonly addressOf: (request: RequestFacts) => string;
  readonly trace?: Trace<ApiTokenTrace> | undefined;
}

interface Carried {
  readonly token: string;
  readonly carriedBy: 'bearer' | 'basic';
}

const SILENT: IdentityVerdict = { kind: 'silent' };
const REFUSED: IdentityVerdict = { kind: 'refused', reason: 'token-invalid' };
const LIMITED: IdentityVerdict = { kind: 'refused', reason: 'tokens-limited' };

const BEARER = /^bearer\s+(?<token>pst_.*)$/is;
const BASIC = /^basic\s+(?<pair>[A-Za-z0-9+/_-]+=*)$/i;

/** Bearer tokens without `pst_`, and the passwords of people, are not this source's to judge. */
export function createApiTokenSource({ verify, addressOf, trace }: ApiTokenSourceOptions): IdentitySource {
  return {
    name: 'api-token',
    identify(request) {
      const lines = headerLines(request, 'authorization');
      if (lines.length === 0) return SILENT;
      const [first] = lines.map(apiTokenIn).filter((found) => found !== undefined);
      if (!first) return SILENT;
      // Two headers are two answers to one question, even when both are the same.
      if (lines.length > 1) return REFUSED;
      return mapMaybe(verify(first.token, first.carriedBy, addressOf(request)), (verdict) => {
        const outcome = verdict.kind === 'valid' ? 'valid' : verdict.reason;
        trace?.({ source: 'api-token', carriedBy: first.carriedBy, outcome }, request);
        if (verdict.kind === 'valid') return { kind: 'identified', caller: verdict.caller };
        return verdict.reason === 'limited' ? LIMITED : REFUSED;
      });
    },
  };
}

/** The API token that an Authorization header carries, good or not. */
export function apiTokenIn(line: string): Carried | undefined {
  const token = BEARER.exec(line.trim())?.groups?.['token'];
  if (token !== undefined) return { token, carriedBy: 'bearer' };
  const pair = BASIC.exec(line.trim())?.groups?.['pair'];
  if (pair === undefined) return undefined;
  const text = Buffer.from(pair, 'base64').toString('utf8');
  const password = text.slice(text.indexOf(':') + 1);
  return text.includes(':') && password.startsWith('pst_') ? { token: password, carriedBy: 'basic' } : undefined;
}
