/** What one worker learns of clients, told to the others: who has logged in before, and whether the admin has (SPEC 10). */
import { createFirstTimeLogin, type FirstTimeLogin } from '../../accounts/login/first-admin.ts';
import { createKnownClients, type KnownClients } from '../../accounts/login/known-clients.ts';
import { type Clock, unixSeconds } from '../../domain/clock.ts';
import { ADMIN } from '../../domain/names.ts';
import type { Store } from '../../store/open-store.ts';
import type { Shared } from '../resources/shared.ts';

export interface Learned {
  readonly knownClients: KnownClients;
  readonly firstTimeLogin: FirstTimeLogin;
}

/** Users who have a session have logged in before. `shared`: of a worker. */
export async function openLearned(
  { sessions }: Pick<Store, 'sessions'>,
  clock: Clock,
  shared: Shared | undefined,
): Promise<Learned> {
  const listed = await sessions.listSessions(unixSeconds(clock));
  const own = {
    knownClients: createKnownClients(listed.map(({ address }) => address)),
    firstTimeLogin: createFirstTimeLogin(false),
  };
  return shared ? learnedTogether(own, shared) : own;
}

function learnedTogether({ knownClients, firstTimeLogin }: Learned, shared: Shared): Learned {
  let isAwaited = shared.isFirstLoginAwaited;
  shared.onNote((note) => {
    if (note.kind === 'known-client') knownClients.note(note.address);
    if (note.kind === 'first-login') isAwaited = note.isAwaited;
  });
  return {
    knownClients: {
      has: knownClients.has,
      note(address) {
        if (!knownClients.has(address)) shared.tell({ kind: 'known-client', address });
        knownClients.note(address);
      },
    },
    firstTimeLogin: {
      isAwaited: () => isAwaited,
      onNewPassword: firstTimeLogin.onNewPassword,
      onLogin(role) {
        if (!isAwaited || role !== ADMIN) return;
        isAwaited = false;
        shared.tell({ kind: 'first-login', isAwaited });
      },
    },
  };
}
