/** `postern doctor` on this machine, beside the running server (SPEC 15). */
import { loadPolicy } from '../../config/policy/load-policy.ts';
import type { Report } from '../../doctor/report.ts';
import { type DoctorRun, runDoctor } from '../gate/run-doctor.ts';
import { type CommandPlace, openForCommands } from './commands.ts';

/** Rejects with a sentence when there is no configuration or store to work with. */
export async function doctorAt(place: CommandPlace, run: DoctorRun): Promise<Report> {
  const { settings, users, apiTokens: tokens, usersWithFactor, close } = await openForCommands(place, 'change');
  try {
    const policy = await loadPolicy(settings.nvr.policy, place.directory);
    if (policy.kind === 'invalid') throw new Error('nvr.policy cannot be read: "postern check" says why');
    const { clock } = place;
    // The store has just been read and written.
    const probeStore = async (): Promise<void> => {};
    const here = { settings, tableHead: policy.head, clock, tokens, users: users.list, usersWithFactor, probeStore };
    const report = await runDoctor(here, run);
    if (!report.ok) throw new Error(`${report.error}; start the server once with this directory if it has never run`);
    return report.value;
  } finally {
    await close();
  }
}
