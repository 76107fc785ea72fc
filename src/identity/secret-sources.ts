/** Who an API token, a link or a screen says is calling: each shows a secret, which is looked up (SPEC 4.4, 13, 18). */
import { allMaybe, type MaybePromise, mapMaybe } from '../domain/async.ts';
import type {
  ApiTokenVerdict,
  IdentitySource,
  IdentityVerdict,
  LinkFault,
  LinkVerdict,
  ScreenVerdict,
  Verdict,
} from '../domain/caller.ts';
import type { RefusalReason } from '../domain/refusal.ts';
import { headerLines, type RequestFacts } from '../domain/request.ts';
import { ownCredentials } from '../domain/sent-credentials.ts';
import type { ApiTokenTrace, LinkTrace, ScreenTrace, Trace } from './identity-trace.ts';

interface SourceOptions<Verify, Entry> {
  readonly verify: Verify;
  /** The client's address, behind trusted proxies. */
  readonly addressOf: (request: RequestFacts) => string;
  readonly trace?: Trace<Entry> | undefined;
}

const SILENT: IdentityVerdict = { kind: 'silent' };
const refused = (reason: RefusalReason): IdentityVerdict => ({ kind: 'refused', reason });

const outcomeOf = <Fault>(verdict: Verdict<Fault>): 'valid' | Fault =>
  verdict.kind === 'valid' ? 'valid' : verdict.reason;

const judged = <Fault>(verdict: Verdict<Fault>, reasonOf: (fault: Fault) => RefusalReason): IdentityVerdict =>
  verdict.kind === 'valid' ? { kind: 'identified', caller: verdict.caller } : refused(reasonOf(verdict.reason));

export type VerifyApiToken = (
  token: string,
  carriedBy: 'bearer' | 'basic',
  address: string,
) => MaybePromise<ApiTokenVerdict>;

/**
 * `Authorization: Bearer pst_…`, or as the password of Basic. Bearer tokens without `pst_`, and the passwords of people, are not
 * this source's to judge.
 */
export const createApiTokenSource = ({
  verify,
  addressOf,
  trace,
}: SourceOptions<VerifyApiToken, ApiTokenTrace>): IdentitySource => ({
  name: 'api-token',
  identify(request) {
    const own = ownCredentials(request);
    const found = own.find(({ kind }) => kind === 'api-token');
    if (!found) return SILENT;
    // Two of ours are two answers to one question, even when both are the same.
    if (own.length > 1) return refused('token-invalid');
    const { token, carriedBy } = found;
    return mapMaybe(verify(token, carriedBy, addressOf(request)), (verdict) => {
      trace?.({ source: 'api-token', carriedBy, outcome: outcomeOf(verdict) }, request);
      return judged(verdict, (fault) => (fault === 'limited' ? 'tokens-limited' : 'token-invalid'));
    });
  },
});

/** `cookies` are the lines of the header: the page of a link sets one for who gave the PIN. */
export type VerifyLink = (secret: string, cookies: readonly string[], address: string) => MaybePromise<LinkVerdict>;

// biome-ignore format: a table
const LINK_REASONS: Readonly<Record<LinkFault, RefusalReason>> = {
  unknown: 'link-over', expired: 'link-over', revoked: 'link-over', 'maker-gone': 'link-over',
  'pin-missing': 'link-pin-missing', limited: 'links-limited',
};

/** The first of the sources: a request below `/s/{secret}/…` is judged as the link, whatever other credentials came along. */
export const createLinkSource = ({
  verify,
  addressOf,
  trace,
}: SourceOptions<VerifyLink, LinkTrace>): IdentitySource => ({
  name: 'link',
  identify(request) {
    const { linkSecret } = request;
    if (linkSecret === undefined) return SILENT;
    return mapMaybe(verify(linkSecret, headerLines(request, 'cookie'), addressOf(request)), (verdict) => {
      trace?.({ source: 'link', outcome: outcomeOf(verdict) }, request);
      return judged(verdict, (fault) => LINK_REASONS[fault]);
    });
  },
});

export type VerifyScreen = (secret: string, address: string) => MaybePromise<ScreenVerdict>;

export interface ScreenSourceOptions extends SourceOptions<VerifyScreen, ScreenTrace> {
  /** The values of the cookie that the request has. */
  readonly cookiesOf: (request: RequestFacts) => readonly string[];
}

/**
 * The last of the sources, so that a person who is logged in stays that person. A cookie of before may stand beside the one of
 * now: the first that holds counts.
 */
export const createScreenSource = ({ cookiesOf, verify, addressOf, trace }: ScreenSourceOptions): IdentitySource => ({
  name: 'screen',
  identify: (request) =>
    mapMaybe(allMaybe(cookiesOf(request).map((secret) => verify(secret, addressOf(request)))), (verdicts) => {
      const verdict = verdicts.find(({ kind }) => kind === 'valid') ?? verdicts[0];
      if (!verdict) return SILENT;
      trace?.({ source: 'screen', outcome: outcomeOf(verdict) }, request);
      return judged(verdict, (fault) => (fault === 'limited' ? 'screens-limited' : 'screen-over'));
    }),
});
