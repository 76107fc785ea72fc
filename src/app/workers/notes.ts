/** Notes between workers: what one of them has learned, passed on by the primary (SPEC 10). */
import { unixSeconds } from '../../domain/clock.ts';
import { ADMIN } from '../../domain/names.ts';
import type { Note } from '../resources/shared.ts';
import type { Runtime } from '../runtime.ts';
import type { FromPrimary } from './messages.ts';
import type { PoolWorker } from './worker-slot.ts';

/** Notes go to all workers but the one that told them; what still holds is kept for workers that start later. */
export function createNotes({ accounts, clock }: Pick<Runtime, 'accounts' | 'clock'>) {
  const revocations = new Map<string, Extract<Note, { kind: 'held-revocation' }>>();
  /** With their orders, so that nothing else tells them: also workers that do not listen yet. */
  const workers = new Set<PoolWorker>();
  const tellAll = (message: FromPrimary, except?: PoolWorker): void => {
    for (const worker of workers) if (worker !== except) worker.send(message);
  };
  const tell = (note: Note, except?: PoolWorker): void => tellAll({ kind: 'noted', note }, except);
  return {
    /** It has just been given its orders, with the `current` notes. */
    starts: (worker: PoolWorker): void => void workers.add(worker),
    ended: (worker: PoolWorker): void => void workers.delete(worker),
    tellAll,
    tell,
    current(): readonly Note[] {
      for (const [id, { expiresAt }] of revocations) if (expiresAt <= unixSeconds(clock)) revocations.delete(id);
      return [...revocations.values()];
    },
    take(note: Note, from: PoolWorker): void {
      if (note.kind === 'held-revocation') revocations.set(note.tokenId, note);
      if (note.kind === 'known-client') accounts.knownClients.note(note.address);
      if (note.kind === 'first-login') accounts.firstTimeLogin.onLogin(ADMIN);
      tell(note, from);
    },
  };
}
