/** What sessions need from the rest: the store, the signing key, the clock, and the lengths that the configuration gives. */
import type { CryptoKey } from 'jose';
import type { User } from '../../domain/accounts/account.ts';
import type { FactorOwed } from '../../domain/accounts/second-factor.ts';
import type { MaybePromise } from '../../domain/async.ts';
import type { Caller } from '../../domain/caller.ts';
import type { Clock } from '../../domain/clock.ts';
import type { ActiveRoles } from '../../domain/rights.ts';
import type { AccountStore } from '../../store/accounts/accounts.ts';
import type { SessionOrigin } from './issue-session.ts';
import type { CookieSettings } from './session-cookie.ts';
import type { SessionEnds } from './session-ends.ts';
import type { StoreGrace } from './store-grace.ts';

/** Sessions that began at a provider, by the ids of their tokens. */
export interface ProviderSessions {
  begun(tokenId: string, origin: SessionOrigin): Promise<void>;
  /** The session goes on under another id. */
  renamed(from: string, to: string): Promise<void>;
}

export interface SessionDeps {
  readonly store: Pick<AccountStore, 'findUser' | 'isRevoked' | 'revokeToken'>;
  readonly key: CryptoKey;
  readonly clock: Clock;
  readonly roles: () => MaybePromise<ActiveRoles>;
  /** Seconds; 0 asks for a login on nearly every access (interface 5.1.4). */
  readonly sessionLength: number;
  /** Seconds before its end in which a session is renewed by any request. */
  readonly refreshTime: number;
  /** Seconds from login to the end of a session, however often it is renewed; null: no such end. */
  readonly maxAge: number | null;
  /** `store.grace`: for so long a replica that cannot reach the store goes on with a session that was ended elsewhere. Default: 0. */
  readonly graceSeconds?: number;
  readonly cookie: CookieSettings;
  /** `shownTo`: the provider that was shown a second factor, if it was not shown here. Default: nothing. */
  readonly factorOwed?: (user: User, shownTo: string | undefined) => FactorOwed;
  /**
   * A text that changes with every change of accounts or revocations, by this process or another. Without it they
   * are read anew for each request.
   */
  readonly accountsVersion?: () => string;
  /** Remembers what the store says, and for how long. Default: by `accountsVersion`, and not while the store cannot be reached. */
  readonly grace?: StoreGrace;
  /** Whether this process ended the session, even where the store could not be told yet. */
  readonly isEndedHere?: (tokenId: string) => boolean;
  /** The latest `exp` of each session, kept across reloads. Default: what this object has issued. */
  readonly ends?: SessionEnds;
  /** Keeps which sessions a provider may end. Default: none are kept. */
  readonly providerSessions?: ProviderSessions;
  /** What an API token is worth now, by its id. Default: no session of an API token is accepted. */
  readonly apiTokenNow?: (tokenId: string) => Promise<Caller | undefined>;
}
