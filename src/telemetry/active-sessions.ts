/** Counts sessions seen in the last five minutes, by role; no user name is kept (SPEC 9). */

const ACTIVE_MS = 5 * 60_000;
/** Tokens are checked before they are seen here; even so there is a ceiling. */
const MOST_SESSIONS = 50_000;

export type ActiveSessions = ReturnType<typeof createActiveSessions>;

/** `now` is in milliseconds, of any clock that does not go back. */
export function createActiveSessions() {
  const sessions = new Map<string, { role: string; at: number }>();
  return {
    seen(sessionId: string, role: string, now: number): void {
      const known = sessions.get(sessionId);
      if (known) {
        known.role = role;
        known.at = now;
      } else if (sessions.size < MOST_SESSIONS) sessions.set(sessionId, { role, at: now });
    },
    countByRole(now: number): ReadonlyMap<string, number> {
      const counts = new Map<string, number>();
      for (const [id, { role, at }] of sessions) {
        if (at <= now - ACTIVE_MS) sessions.delete(id);
        else counts.set(role, (counts.get(role) ?? 0) + 1);
      }
      return counts;
    },
  };
}
