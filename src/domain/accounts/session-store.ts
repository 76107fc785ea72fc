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
