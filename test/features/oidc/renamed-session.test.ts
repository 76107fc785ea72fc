/** A logout at the provider beside a new password, which names the session anew: no session is left (SPEC 16). */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { endAll } from '../../../src/features/oidc/provider-sessions.ts';
import { openStore } from '../../../src/store/open-store.ts';
import { makeScratch } from '../../store/support/scratch-store.ts';

const UNTIL = 4_000_000_000;
const OF = { issuer: 'https://id.example.com', subject: 'vera' };

it('A session that gets another name between the look and its end, ends; one that cannot end is told once', async (t) => {
  const scratch = makeScratch();
  const { signIns, accounts, close } = await openStore({ url: scratch.url });
  t.after(async () => {
    await close();
    scratch.remove();
  });
  for (const sessionId of ['before', 'other', 'stuck'])
    await signIns.noteSession({ ...OF, sessionId, expiresAt: UNTIL });
  const stuck = new Error('cannot be stored');
  const faults = await endAll(
    () => signIns.sessionsOf(OF.issuer, OF.subject, undefined),
    async ({ sessionId, expiresAt }) => {
      if (sessionId === 'stuck') throw stuck;
      // The new password comes in between, and finds that nothing is revoked.
      if (sessionId === 'before') await signIns.renameSession('before', 'after');
      await accounts.revokeToken(sessionId, expiresAt);
    },
  );
  assert.deepEqual(faults, [stuck]);
  for (const sessionId of ['before', 'after', 'other']) assert.ok(await accounts.isRevoked(sessionId), sessionId);
});
