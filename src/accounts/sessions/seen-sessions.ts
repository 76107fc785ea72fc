/** The list of sessions with address, device and times, written once a minute instead of with each request (SPEC 4.2). */
import { LRUCache } from 'lru-cache';
import type { Services } from '../../app/services.ts';
import type { User } from '../../domain/accounts/account.ts';
import { upTo } from '../../domain/bounded.ts';
import type { Caller } from '../../domain/caller.ts';
import { unixSeconds } from '../../domain/clock.ts';
import type { UserName } from '../../domain/names.ts';
import { maskSecrets } from '../../domain/text.ts';
import type { SessionStore } from '../../store/accounts/logins.ts';
import type { BeginningLogin, BegunLogin } from '../../store/engine/engine.ts';
import type { SeenSession } from '../../store/engine/tables.ts';
import { shortText } from '../audit.ts';
import { createCoalescedWrites } from '../coalesced-writes.ts';
import type { SessionClaims } from './session-jwt.ts';

/** The far end of a request. */
export interface SeenClient {
  readonly address: string;
  readonly agent: string | undefined;
}

const REMEMBERED_SESSIONS = 10_000;

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
  const known = new LRUCache<string, number>(upTo(REMEMBERED_SESSIONS));
  const ends = {
    /** The latest end that the store knows: another process may have renewed the session. */
    recorded: (id: string): Promise<number | undefined> =>
      // A store that cannot be read renews nothing: the session is over at the end that is known here.
      store.findSession(id, unixSeconds(clock)).then(
        (session) => session?.expiresAt,
        () => undefined,
      ),
    /** The latest end that this process knows; undefined when it has seen no token of the session. */
    latest: (id: string): number | undefined => known.get(id),
    /** A token of the session was issued, or shown, that is valid until then. */
    note(id: string, expiresAt: number): void {
      if ((known.get(id) ?? Number.NEGATIVE_INFINITY) >= expiresAt) return;
      known.set(id, expiresAt);
      const session = seen.get(id);
      if (session) writes.noteNews(id, () => withEnd(session));
    },
  };
  const sighting = (user: UserName, token: SeenToken, { address, agent }: SeenClient): SeenSession => {
    const { tokenId: id, issuedAt: since, expiresAt } = token;
    const client = { address, agent: shortText(maskSecrets(agent ?? '')) };
    const session = { id, user, ...client, since, lastSeen: unixSeconds(clock), expiresAt, keyId };
    seen.set(id, session);
    return withEnd(session);
  };
  return {
    close: writes.close,
    /** When each session ends: the latest `exp` of the tokens that were issued for its `jti` (SPEC 4.2). It is listed for so long. */
    ends,
    /** A login, with the session that begins. Undefined: the account is not as it was. */
    begin(
      user: User,
      token: SeenToken | undefined,
      client: SeenClient,
      login: Pick<BeginningLogin, 'place' | 'most' | 'salt'>,
    ): Promise<BegunLogin | undefined> {
      if (token) ends.note(token.tokenId, token.expiresAt);
      const session = token && sighting(user.name, token, client);
      return store.beginLogin({ user, session, at: unixSeconds(clock), ...login });
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
