/** The sessions that began at a provider, the ends that it tells of, and what may be used once (SPEC 16). */
import { hash } from 'node:crypto';
import type { Services } from '../../app/services.ts';
import type { Settings } from '../../config/schema/schema.ts';
import type { ProviderSession } from '../../domain/accounts/sign-in.ts';
import { unixSeconds } from '../../domain/clock.ts';
import type { UserName } from '../../domain/names.ts';
import type { SessionParts } from '../sessions/sessions.ts';
import type { LogoutToken } from './logout-token.ts';
import type { ProviderIdentity } from './provider.ts';

/** Kept for as long as a session may be renewed: the provider can end it until then. */
const WITHOUT_END_SECONDS = 400 * 86_400;

export const providerSessionsOf = (
  { auth }: Settings,
  { store, clock }: Pick<Services, 'store' | 'clock'>,
): SessionParts['providerSessions'] & {} => ({
  async begun(sessionId, { issuer, subject, sid }) {
    const expiresAt = unixSeconds(clock) + (auth.session_max_age ?? WITHOUT_END_SECONDS);
    await store.signIns.noteSession({ sessionId, issuer, subject, ...(sid !== undefined && { sid }), expiresAt });
  },
  renamed: (from, to) => store.signIns.renameSession(from, to),
});

const markOf = (id: string): string => hash('sha256', id, 'base64url');

/** Whether it was used, here or at another replica. */
export const wasUsed = ({ store }: Pick<Services, 'store'>, id: string): Promise<boolean> =>
  store.accounts.isRevoked(markOf(id));

/**
 * False for what was used before, also at that moment. Rejects when the mark could not be written: it holds here all the
 * same, and is written later. `until`: Unix seconds.
 */
export const markUsed = ({ store }: Pick<Services, 'store'>, id: string, until: number): Promise<boolean> =>
  store.accounts.revokeToken(markOf(id), until);

/** Whose account is connected with that person at the provider. */
export const ownerOf = async (
  { issuer, subject }: Pick<ProviderIdentity, 'issuer' | 'subject'>,
  { store }: Pick<Services, 'store'>,
): Promise<UserName | undefined> => (await store.signIns.findSignIn(issuer, subject))?.user;

/**
 * Ends the sessions that began with that person at the provider, all of them also where the end of one could not be
 * written; gives their users, and those faults.
 */
export async function endProviderSessions(
  { issuer, subject, sid }: LogoutToken,
  { store, seenSessions, sessions }: Pick<Services, 'store' | 'seenSessions' | 'sessions'>,
): Promise<{ readonly users: readonly UserName[]; readonly faults: readonly unknown[] }> {
  const users = new Set<UserName>();
  const begun = () => store.signIns.sessionsOf(issuer, subject, sid);
  const faults = await endAll(begun, async ({ sessionId, expiresAt, ...of }) => {
    // The name is for the record: the session ends without it, too.
    const seen = await seenSessions.find(sessionId).catch(() => undefined);
    const user = seen?.user ?? (await ownerOf(of, { store }).catch(() => undefined));
    if (user) users.add(user);
    await sessions.revoke(sessionId, expiresAt);
  });
  return { users: [...users], faults };
}

/**
 * Ends each session, also those that come while others end: a new password names the session anew, and looks behind that whether
 * the old name is revoked. Gives the faults of those that could not be ended.
 */
export async function endAll(
  begun: () => Promise<readonly ProviderSession[]>,
  end: (session: ProviderSession) => Promise<void>,
): Promise<readonly unknown[]> {
  const tried = new Set<string>();
  const faults: unknown[] = [];
  for (;;) {
    const left = (await begun()).filter(({ sessionId }) => !tried.has(sessionId));
    if (left.length === 0) return faults;
    for (const { sessionId } of left) tried.add(sessionId);
    const outcomes = await Promise.allSettled(left.map(end));
    faults.push(...outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : [])));
  }
}
