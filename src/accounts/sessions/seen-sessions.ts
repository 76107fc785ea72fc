/** The list of sessions with address, device and times, written once a minute instead of with each request (SPEC 4.2). */
import { LRUCache } from 'lru-cache';
import type { Services } from '../../app/services.ts';
import type { SeenSession } from '../../domain/accounts/logins.ts';
import type { MaybePromise } from '../../domain/async.ts';
import { upTo } from '../../domain/bounded.ts';
import type { Caller } from '../../domain/caller.ts';
import { unixSeconds } from '../../domain/clock.ts';
import type { UserName } from '../../domain/names.ts';
import { maskSecrets } from '../../domain/text.ts';
import type { SessionStore } from '../../store/accounts/logins.ts';
import { shortText } from '../audit.ts';
import { createCoalescedWrites } from '../coalesced-writes.ts';
import type { SessionClaims } from './session-jwt.ts';

/** The far end of a request. */
export interface SeenClient {
  readonly address: string;
  readonly agent: string | undefined;
}

/** When each session ends: the latest `exp` of the tokens that were issued for its `jti` (SPEC 4.2). Times are Unix seconds. */
export type SessionEnds = ReturnType<typeof createSessionEnds>;

const REMEMBERED_SESSIONS = 10_000;

/** `recorded`: the latest end that the store knows, where another process may have renewed the session. */
export function createSessionEnds(
  recorded: (tokenId: string) => MaybePromise<number | undefined> = () => undefined,
  onLater: (tokenId: string) => void = () => {},
) {
  const ends = new LRUCache<string, number>(upTo(REMEMBERED_SESSIONS));
  return {
    recorded,
    /** The latest end that this process knows; undefined when it has seen no token of the session. */
    latest: (tokenId: string): number | undefined => ends.get(tokenId),
    /** A token of the session was issued, or shown, that is valid until then. */
    note(tokenId: string, expiresAt: number): void {
      const known = ends.get(tokenId);
      if (known !== undefined && known >= expiresAt) return;
      ends.set(tokenId, expiresAt);
      onLater(tokenId);
    },
  };
}

type SeenToken = Pick<SessionClaims, 'tokenId' | 'issuedAt' | 'expiresAt'>;

export type SeenSessions = ReturnType<typeof createSeenSessions>;

/** `keyId`: the digest of the key that sessions are signed with. */
export function createSeenSessions({
  store,
  keyId,
  clock,
  onFault,
}: Pick<Services, 'clock'> & {
  readonly store: SessionStore;
  readonly keyId: string;
  readonly onFault: (fault: unknown) => void;
}) {
  const seen = new LRUCache<string, SeenSession>(upTo(REMEMBERED_SESSIONS));
  const writes = createCoalescedWrites<SeenSession>({ write: store.noteSessions, clock, onFault });
  const withEnd = (session: SeenSession): SeenSession => ({
    ...session,
    expiresAt: Math.max(session.expiresAt, ends.latest(session.id) ?? 0),
  });
  const ends = createSessionEnds(
    // A store that cannot be read renews nothing: the session is over at the end that is known here.
    (id) =>
      store.findSession(id, unixSeconds(clock)).then(
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
    /** A session that is renewed is listed for as long as its latest token lives. */
    ends,
    /** A session that has just begun. It does not wait for its minute. */
    noteLogin({ userName, ...token }: SessionClaims, client: SeenClient): void {
      writes.noteNews(token.tokenId, () => sighting(userName, token, client));
      ends.note(token.tokenId, token.expiresAt);
    },
    /** Callers without a session are passed over. */
    note({ name, credential }: Caller, client: SeenClient): void {
      if (credential.kind !== 'session') return;
      writes.note(credential.tokenId, () => sighting(name, credential, client));
      ends.note(credential.tokenId, credential.expiresAt);
    },
    /** Sessions that have not expired, latest seen first; of all users without `user`. */
    async list(user?: UserName): Promise<readonly SeenSession[]> {
      await writes.flush();
      return store.listSessions(unixSeconds(clock), user);
    },
    async find(id: string): Promise<SeenSession | undefined> {
      await writes.flush();
      return store.findSession(id, unixSeconds(clock));
    },
  };
}
