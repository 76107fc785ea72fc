/** Who the cookie of a screen says is calling: the last of the sources, so that a person who is logged in stays that person (SPEC 18). */
import { allMaybe, type MaybePromise, mapMaybe } from '../domain/async/maybe-promise.ts';
import type { RequestFacts } from '../domain/request.ts';
import type { IdentitySource, IdentityVerdict, ScreenVerdict } from '../domain/verdict.ts';
import type { ScreenTrace, Trace } from './identity-trace.ts';

export interface ScreenSourceOptions {
  /** The values of the cookie that the request has. */
  readonly cookiesOf: (request: RequestFacts) => readonly string[];
  readonly verify: (secret: string, address: string) => MaybePromise<ScreenVerdict>;
  /** The client's address, behind trusted proxies. */
  readonly addressOf: (request: RequestFacts) => string;
  readonly trace?: Trace<ScreenTrace> | undefined;
}

const SILENT: IdentityVerdict = { kind: 'silent' };

/** A cookie of before may stand beside the one of now: the first that holds counts. */
export function createScreenSource({ cookiesOf, verify, addressOf, trace }: ScreenSourceOptions): IdentitySource {
  return {
    name: 'screen',
    identify(request) {
      const cookies = cookiesOf(request);
      if (cookies.length === 0) return SILENT;
      const asked = cookies.map((secret) => verify(secret, addressOf(request)));
      return mapMaybe(allMaybe(asked), (verdicts): IdentityVerdict => {
        const verdict = verdicts.find(({ kind }) => kind === 'valid') ?? verdicts[0];
        if (!verdict) return SILENT;
        trace?.({ source: 'screen', outcome: verdict.kind === 'valid' ? 'valid' : verdict.reason }, request);
        if (verdict.kind === 'valid') return { kind: 'identified', caller: verdict.caller };
        return { kind: 'refused', reason: verdict.reason === 'limited' ? 'screens-limited' : 'screen-over' };
      });
    },
  };
}
