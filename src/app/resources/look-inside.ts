/** How NVR, cameras, store and disk are, for doctor: on the command line and on the status page (SPEC 15). */
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { layoutOfConfig } from '../../access/recorder-layout.ts';
import type { Settings } from '../../config/schema/schema.ts';
import type { InsideWithoutPorts } from '../../doctor/report.ts';
import { type ExposedPortsOptions, exposedPorts } from './exposed-ports.ts';
import { askerOf, nvrCheck, nvrVersion } from './upstreams.ts';

export interface InsideDeps {
  readonly settings: Settings;
  /** The release of the NVR that the route table was made for. */
  readonly policyNvr: string | undefined;
  /** Rejects when the store does not answer. */
  readonly probeStore: () => Promise<unknown>;
  readonly surroundings?: ExposedPortsOptions['surroundings'];
}

export async function lookInside({
  settings,
  policyNvr,
  probeStore,
  surroundings,
}: InsideDeps): Promise<InsideWithoutPorts> {
  const [nvr, exposed, storeFault, freeBytes, nvrSays] = await Promise.all([
    nvrCheck(settings),
    exposedPorts(settings, surroundings && { surroundings }),
    probeStore().then(
      () => null,
      (fault: unknown) => (fault instanceof Error ? fault.message : String(fault)),
    ),
    freeBytesAtStore(settings),
    nvrVersion(settings),
  ]);
  const nvrFault = nvr.kind === 'unused' ? undefined : nvr.kind === 'failed' ? nvr.reason : null;
  return {
    nvrFault,
    cameras: nvrFault === null ? await camerasOf(settings).catch(() => undefined) : undefined,
    freeBytes,
    storeFault,
    nvrVersion: nvrSays ?? undefined,
    policyNvrVersion: policyNvr,
    secondFactor: secondFactorOf(settings),
    exposed,
  };
}

async function camerasOf(settings: Settings): Promise<number | undefined> {
  const { url, cameras } = settings.nvr;
  if (!url) return undefined;
  return layoutOfConfig(await askerOf(settings)(url, '/api/config'), cameras).cameras.length;
}

async function freeBytesAtStore({ store: { url } }: Settings): Promise<number | undefined> {
  const disk = url.engine === 'sqlite' ? await statfs(dirname(url.file)).catch(() => undefined) : undefined;
  return disk && disk.bavail * disk.bsize;
}

/** Without the key there is no second factor. With a proxy's accounts it is the proxy that asks for one. */
function secondFactorOf({ auth }: Settings): string | undefined {
  if (!auth.enabled) return undefined;
  return 'second_factor' in auth ? String(auth.second_factor) : 'off';
}
