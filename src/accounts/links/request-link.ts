/** Makes a link that was asked for: whose it is, of which camera, and whether its maker may see that now (SPEC 13). */

import type { AccountStore } from '../../domain/accounts/account.ts';
import type { ApiTokenStore } from '../../domain/accounts/api-token.ts';
import type { LinkMaker } from '../../domain/accounts/link.ts';
import { type Caller, lostRights } from '../../domain/caller.ts';
import { traitsOf } from '../../domain/credentials.ts';
import type { RefusalReason } from '../../domain/refusal.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { SharedThing } from '../../domain/shared-thing.ts';
import { linkCaller } from './links.ts';
import { draftLink, keepLink, type MadeLink, type MakeLinkDeps } from './make-link.ts';
import { isTime, type LinkRefusal, parseTerms, parseThing, type WantedThing } from './wanted-link.ts';

export interface RequestLinkDeps extends MakeLinkDeps {
  readonly store: Pick<AccountStore, 'findUser'>;
  readonly tokenStore: Pick<ApiTokenStore, 'findToken'>;
  readonly judge: LinkJudge;
  /** The caller with the rights of now; undefined when the session or token is no longer valid. */
  readonly recheck: (caller: Caller) => Promise<Caller | undefined>;
  /** `links.max_lifetime`, in seconds. */
  readonly longest: number;
}

/** What is known of the NVR, and what the decision says. */
export interface LinkJudge {
  /** The record of an event or a review; undefined when there is none. Errs with why it cannot be told. */
  recordOf(kind: 'event' | 'review', id: string): Promise<Result<unknown, RefusalReason>>;
  /** Why the caller of a link would be refused what the link shows; undefined when it would not. */
  denial(caller: Caller): Promise<RefusalReason | undefined>;
  /** Names of the files below a link to this thing. */
  filesOf(thing: SharedThing): readonly string[];
}

/** `json` is the body of the request. */
export async function requestLink(
  json: Readonly<Record<string, unknown>>,
  caller: Caller,
  maker: LinkMaker,
  deps: RequestLinkDeps,
): Promise<Result<MadeLink, LinkRefusal | RefusalReason>> {
  const { what, expires_in: expiresIn, uses, pin, name, notify_on_open: notifyOnOpen } = json;
  const wanted = parseThing(what);
  if (!wanted.ok) return wanted;
  const terms = parseTerms({ what, expiresIn, uses, pin, name, notifyOnOpen }, deps.longest);
  if (!terms.ok) return terms;
  if (deps.judge.filesOf({ camera: '', ...wanted.value }).length === 0)
    return err({ reason: 'what-invalid', message: `what: no link can show ${named(wanted.value)} of this NVR` });
  const thing = await thingOf(wanted.value, caller, deps);
  if (!thing.ok) return thing;
  const draft = draftLink(thing.value, terms.value, maker, deps);
  // The same decision as for a request by the link, with the rights that the caller has now.
  const denied = await deps.judge.denial(linkCaller(draft.link, caller));
  // The NVR was asked for both, and the link would outlive a session that ended meanwhile.
  const lost = denied ?? lostRights(await deps.recheck(caller), caller);
  return lost ? err(lost) : keepLink(draft, deps);
}

const named = ({ kind }: WantedThing): string => (kind === 'event' ? `an ${kind}` : `a ${kind}`);

/** One who does not see all cameras is not told whether an event of another camera exists. */
async function thingOf(
  wanted: WantedThing,
  { scope }: Caller,
  { judge }: RequestLinkDeps,
): Promise<Result<SharedThing, LinkRefusal | RefusalReason>> {
  if (!('id' in wanted)) return ok(wanted);
  const record = await judge.recordOf(wanted.kind, wanted.id);
  if (!record.ok) return record;
  const { camera, start_time: from, end_time: to } = Object(record.value) as Readonly<Record<string, unknown>>;
  // The playlist of a review is that of its span. One that is not over has none.
  const span = wanted.kind === 'review' && isTime(from) && isTime(to) ? { from, to } : {};
  if (typeof camera === 'string') return ok({ ...wanted, camera, ...span });
  return scope.kind === 'all'
    ? err({ reason: 'what-invalid', message: `what: there is no such ${wanted.kind}` })
    : err('camera-not-in-role');
}

/** Whose link it becomes: a person's, or an API token's, with which it ends. */
export async function makerOf(
  { name: user, role, credential }: Caller,
  deps: RequestLinkDeps,
): Promise<LinkMaker | undefined> {
  switch (traitsOf(credential).madeBy) {
    case 'account': {
      const account = await deps.store.findUser(user);
      return account && { user, userCreatedAt: account.createdAt, tokenId: null, role };
    }
    case 'token': {
      const token = credential.kind === 'api-token' ? await deps.tokenStore.findToken(credential.tokenId) : undefined;
      return token && { user, userCreatedAt: token.userCreatedAt, tokenId: token.id, role };
    }
    case 'proxy':
      return { user, userCreatedAt: null, tokenId: null, role };
    case undefined:
      return undefined;
  }
}
