/** How many sessions a user may have at once: one login more ends the oldest (SPEC 12). */
import type { SeenSession } from '../../domain/accounts/session-store.ts';
import type { Audit } from '../audit.ts';
import type { SeenClient, SeenSessions } from './seen-sessions.ts';
import type { SessionClaims } from './session-jwt.ts';
import type { Sessions } from './sessions.ts';

export interface SessionLimitDeps {
  /** `auth.sessions_per_user`. */
  readonly sessionsPerUser: number;
  readonly sessions: Pick<Sessions, 'revoke'>;
  readonly seenSessions: Pick<SeenSessions, 'noteLogin' | 'list'>;
  readonly audit: Audit;
}

/** The session of a login is listed at once, so that the next login counts it; on every replica. */
export async function admitSession(
  claims: SessionClaims,
  client: SeenClient,
  { sessionsPerUser, sessions, seenSessions, audit }: SessionLimitDeps,
): Promise<void> {
  const { userName: user, tokenId } = claims;
  seenSessions.noteLogin(claims, client);
  const others = (await seenSessions.list(user)).filter(({ id }) => id !== tokenId);
  const surplus = others.sort(newestFirst).slice(sessionsPerUser - 1);
  for (const { id, expiresAt } of surplus) {
    await sessions.revoke(id, expiresAt);
    const act = { what: 'session-ended', reason: 'too-many-sessions', verdict: 'allowed' } as const;
    audit({ ...act, who: user, user, from: client.address, sessionId: id });
  }
}

const newestFirst = (one: SeenSession, other: SeenSession): number =>
  other.since - one.since || other.lastSeen - one.lastSeen;
