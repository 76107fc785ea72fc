/** Who a link says is calling: only the bearer of `/s/{secret}/…`, with the rights of the link's maker (SPEC 13). */
import { type MaybePromise, mapMaybe } from '../domain/async/maybe-promise.ts';
import type { RefusalReason } from '../domain/refusal.ts';
import { headerLines, type RequestFacts } from '../domain/request.ts';
import type { IdentitySource, IdentityVerdict, LinkFault, LinkVerdict } from '../domain/verdict.ts';
import type { LinkTrace, Trace } from './identity-trace.ts';

export interface LinkSourceOptions {
  /** `cookies` are the lines of the header: the page of a link sets one for who gave the PIN. */
  readonly verify: (secret: string, cookies: readonly string[], address: string) => MaybePromise<LinkVerdict>;
  /** The client's address, behind trusted proxies. */
  readonly addressOf: (request: RequestFacts) => string;
  readonly trace?: Trace<LinkTrace> | undefined;
}

const SILENT: IdentityVerdict = { kind: 'silent' };

// biome-ignore format: a table
const REASONS: Readonly<Record<LinkFault, RefusalReason>> = {
  unknown: 'link-over', expired: 'link-over', revoked: 'link-over', 'maker-gone': 'link-over',
  'pin-missing': 'link-pin-missing', limited: 'links-limited',
};

/** The first of the sources: a request below a link is judged as the link, whatever other credentials came along. */
export function createLinkSource({ verify, addressOf, trace }: LinkSourceOptions): IdentitySource {
  return {
    name: 'link',
    identify(request) {
      const { linkSecret } = request;
      if (linkSecret === undefined) return SILENT;
      return mapMaybe(verify(linkSecret, headerLines(request, 'cookie'), addressOf(request)), (verdict) => {
        trace?.({ source: 'link', outcome: verdict.kind === 'valid' ? 'valid' : verdict.reason }, request);
        if (verdict.kind === 'valid') return { kind: 'identified', caller: verdict.caller };
        return { kind: 'refused', reason: REASONS[verdict.reason] };
      });
    },
  };
}
