/** `postern doctor` on this machine, beside the running server (SPEC 15). */
import { loadPolicy } from '../../config/policy/load-policy.ts';
import type { CommandFrame } from '../feature.ts';
import type { Report } from './report.ts';
import { type DoctorRun, runDoctor } from './run-doctor.ts';

/** Rejects with a sentence when there is no configuration or store to work with. */
export async function doctorAt(
  { place, openStore, providerFaults }: Pick<CommandFrame, 'place' | 'openStore' | 'providerFaults'>,
  run: DoctorRun,
): Promise<Report> {
  const { directory, clock } = place();
  const { settings, listUsers: users, apiTokens: tokens, usersWithFactor, close } = await openStore('change');
  try {
    const policy = await loadPolicy(settings.nvr.policy, directory);
    if (policy.kind === 'invalid') throw new Error('nvr.policy cannot be read: "postern check" says why');
    const here = {
      settings,
      tableHead: policy.head,
      clock,
      tokens,
      users,
      usersWithFactor,
      // The store has just been read and written.
      probeStore: async () => {},
      providerFaults: () => providerFaults(settings, clock),
    };
    const report = await runDoctor(here, run);
    if (!report.ok) throw new Error(`${report.error}; start the server once with this directory if it has never run`);
    return report.value;
  } finally {
    await close();
  }
}
