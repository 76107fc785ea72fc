/** What `postern doctor` needs of this machine: a token for its probes, and how NVR, cameras and disk are (SPEC 15). */
import { loadPolicy, policyDigest } from '../../config/policy/load-policy.ts';
import type { Build } from '../../doctor/observations.ts';
import { type NvrPorts, nvrPorts } from '../../doctor/probes/ports.ts';
import type { InsideWithoutPorts } from '../../doctor/report.ts';
import { publicAddress } from '../../domain/addresses/public-url.ts';
import { providerFaults } from '../accounts/examine-providers.ts';
import { idlePasskeys } from '../accounts/unusable-factors.ts';
import { identityHeadersOf } from '../gate/probe-deps.ts';
import { makeProbeToken } from '../gate/probe-token.ts';
import { internalPortOf } from '../resources/exposed-ports.ts';
import { observeInside } from '../resources/observe-inside.ts';
import { type CommandPlace, openForCommands } from './commands.ts';

export interface DoctorInstance {
  /** `server.public_url`. */
  readonly publicUrl: URL | undefined;
  /** Known to the running server, may nothing, and ends soon. */
  readonly token: string;
  readonly identityHeaders: readonly string[];
  /** The port of `server.internal`; undefined where it is off. */
  readonly internalPort: number | undefined;
  /** Those of the NVR that the route table names. */
  readonly ports: NvrPorts;
  /** This program, and the route table that the configuration names. */
  readonly own: Build;
  inside(): Promise<InsideWithoutPorts>;
  /** Takes the token back. */
  close(): Promise<void>;
}

/** Rejects with a sentence when there is no configuration or store to work with. */
export async function openForDoctor(place: CommandPlace, version: string): Promise<DoctorInstance> {
  const opened = await openForCommands(place, 'change');
  const { settings, users, apiTokens, usersWithFactor } = opened;
  const policy = await loadPolicy(settings.nvr.policy, place.directory);
  const made = await makeProbeToken(apiTokens, users, place.clock);
  if (!made.ok || policy.kind === 'invalid') {
    await opened.close();
    const problem = made.ok ? 'nvr.policy cannot be read: "postern check" says why' : made.error;
    throw new Error(`${problem}; start the server once with this directory if it has never run`);
  }
  const { public_url } = settings.server;
  return {
    publicUrl: public_url && new URL(publicAddress(public_url, '/')),
    token: made.value.text,
    identityHeaders: identityHeadersOf(settings),
    internalPort: internalPortOf(settings),
    ports: nvrPorts(policy.head),
    own: { version, policy: policyDigest(policy.rows) },
    // The store has just been read and written.
    inside: () =>
      observeInside({
        settings,
        tableHead: policy.head,
        probeStore: async () => {},
        users: users.list,
        usersWithFactor,
        idlePasskeys: () => idlePasskeys(settings, usersWithFactor),
        providerFaults: () => providerFaults(settings, place.clock),
      }),
    async close() {
      await made.value.revoke();
      await opened.close();
    },
  };
}
