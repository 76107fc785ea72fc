/** The list of sessions with address, device and times, written once a minute instead of with each request (SPEC 4.2). */
import { LRUCache } from 'lru-cache';
import type { SeenSession } from '../../domain/accounts/session-store.ts';
import { upTo } from '../../domain/bounded.ts';
import type { Caller } from '../../domain/caller.ts';
import { type Clock, unixSeconds } from '../../domain/clock.ts';
import type { UserName } from '../../domain/names.ts';
import { maskSecrets } from '../../domain/text.ts';
import type { SessionStore } from '../../store/accounts/logins.ts';
import { shortText } from '../audit.ts';
import { createCoalescedWrites } from '../coalesced-writes.ts';
import { createSessionEnds, type SessionEnds } from './session-ends.ts';
import type { SessionClaims } from './session-jwt.ts';

export interface SeenSessionDeps {
  readonly store: SessionStore;
  /** The digest of the key that sessions are signed with. */
  readonly keyId: string;
  readonly clock: Clock;
  readonly onFault: (fault: unknown) => void;
}

/** The far end of a request. */
export interface SeenClient {
  readonly address: string;
  readonly agent: string | undefined;
}

export interface SeenSessions {
  /** A session that has just begun. It does not wait for its minute. */
  noteLogin(claims: SessionClaims, client: SeenClient): void;
  /** Callers without a session are passed over. */
  note(caller: Caller, client: SeenClient): void;
  /** Sessions that have not expired, latest seen first; of all users without `user`. */
  list(user?: UserName): Promise<readonly SeenSession[]>;
  find(id: string): Promise<SeenSession | undefined>;
  /** A session that is renewed is listed for as long as its latest token lives. */
  readonly ends: SessionEnds;
  close(): Promise<void>;
}

type SeenToken = Pick<SessionClaims, 'tokenId' | 'issuedAt' | 'expiresAt'>;

const REMEMBERED_SESSIONS = 10_000;

export function createSeenSessions({ store, keyId, clock, onFault }: SeenSessionDeps): SeenSessions {
  const seen = new LRUCache<string, SeenSession>(upTo(REMEMBERED_SESSIONS));
  const writes = createCoalescedWrites<SeenSession>({ write: store.noteSessions, clock, onFault });
  const withEnd = (session: SeenSession): SeenSession => ({
    ...session,
    expiresAt: Math.max(session.expiresAt, ends.latest(session.id) ?? 0),
  });
  const ends = createSessionEnds(
    // A store that cannot be read renews nothing: the session is over at the end that is known here.
    (id) =>
      store.findSession(id).then(
        (session) => session?.expiresAt,
        () => undefined,
      ),
    (id) => {
      const session = seen.get(id);
      if (session) writes.noteNews(id, () => withEnd(session));
    },
  );
  const sighting = (user: UserName, token: SeenToken, { address, agent }: SeenClient): SeenSession => {
    const { tokenId: id, issuedAt: since, expiresAt } = token;
    const client = { address, agent: shortText(maskSecrets(agent ?? '')) };
    const session = { id, user, ...client, since, lastSeen: unixSeconds(clock), expiresAt, keyId };
    seen.set(id, session);
    return withEnd(session);
  };
  return {
    close: writes.close,
    ends,
    noteLogin({ userName, ...token }, client) {
      writes.noteNews(token.tokenId, () => sighting(userName, token, client));
      ends.note(token.tokenId, token.expiresAt);
    },
    note({ name, credential }, client) {
      if (credential.kind !== 'session') return;
      writes.note(credential.tokenId, () => sighting(name, credential, client));
      ends.note(credential.tokenId, credential.expiresAt);
    },
    async list(user) {
      await writes.flush();
      return store.listSessions(unixSeconds(clock), user);
    },
    async find(id) {
      await writes.flush();
      return store.findSession(id);
    },
  };
}
