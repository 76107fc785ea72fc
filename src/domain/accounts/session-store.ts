/** Sessions as they were seen, for people to look at: no token needs a record here to be good (SPEC 4.2). */
import type { UserName } from '../names.ts';

/** Times are Unix seconds. */
export interface SeenSession {
  /** The `jti` of its tokens. */
  readonly id: string;
  readonly user: UserName;
  /** The client's address, as last seen. */
  readonly address: string;
  /** The `User-Agent`, cut short; empty when there was none. */
  readonly agent: string;
  readonly since: number;
  readonly lastSeen: number;
  /** The end of that one of its tokens that lives longest. */
  readonly expiresAt: number;
  /** What the key is called that its tokens are signed with. */
  readonly keyId: string;
}

export interface SessionStore {
  /** A session that is known keeps its `since`, and the latest end that was seen; one that was ended in the meantime is passed over. */
  noteSessions(seen: readonly SeenSession[]): Promise<void>;
  /** Sessions that have not expired at `now`, latest seen first; of all users without `user`. */
  listSessions(now: number, user?: UserName): Promise<readonly SeenSession[]>;
  findSession(id: string): Promise<SeenSession | undefined>;
  forgetSessionsBefore(expiredAt: number): Promise<void>;
  /** Another key ended them all. */
  forgetSessionsUnlessSignedWith(keyId: string): Promise<void>;
}
