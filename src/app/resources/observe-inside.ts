/** How NVR, cameras, store and disk are, for doctor: on the command line and on the status page (SPEC 15). */
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Settings } from '../../config/schema/schema.ts';
import type { InsideWithoutPorts } from '../../doctor/report.ts';
import type { UserFactors } from '../../domain/accounts/second-factor.ts';
import { messageOf } from '../../domain/message-of.ts';
import { ADMIN, namesAlike } from '../../domain/names.ts';
import type { TableHead } from '../../domain/policy/table-head.ts';
import { type ExposedPortsOptions, exposedPorts } from './exposed-ports.ts';
import { nvrCheck, nvrVersion } from './upstreams.ts';
import { namesOfCameras } from './watch-cameras.ts';

export interface InsideDeps {
  readonly settings: Settings;
  readonly tableHead: TableHead;
  /** Rejects when the store does not answer. */
  readonly probeStore: () => Promise<unknown>;
  readonly users: () => Promise<readonly { readonly name: string; readonly role: string }[]>;
  readonly usersWithFactor: () => Promise<readonly UserFactors[]>;
  /** The users with passkeys, while passkeys cannot be used. */
  readonly idlePasskeys: () => Promise<InsideWithoutPorts['idlePasskeys']>;
  readonly providerFaults: () => Promise<InsideWithoutPorts['providerFaults']>;
  readonly surroundings?: ExposedPortsOptions['surroundings'];
}

export async function observeInside(deps: InsideDeps): Promise<InsideWithoutPorts> {
  const { settings, tableHead, probeStore, surroundings } = deps;
  const [nvr, exposed, storeFault, freeBytes, nvrSays, admins, idlePasskeys, providerFaults] = await Promise.all([
    nvrCheck(deps),
    exposedPorts(deps, surroundings && { surroundings }),
    probeStore().then(
      () => null,
      (fault: unknown) => messageOf(fault),
    ),
    freeBytesAtStore(settings),
    nvrVersion(deps),
    adminsOf(deps).catch(() => undefined),
    deps.idlePasskeys().catch(() => undefined),
    deps.providerFaults(),
  ]);
  const nvrFault = nvr.kind === 'unused' ? undefined : nvr.kind === 'failed' ? nvr.reason : null;
  const cameras = nvrFault === null ? await namesOfCameras(deps).catch(() => undefined) : undefined;
  return {
    nvrFault,
    cameras: cameras?.length,
    camerasAlike: namesAlike(cameras ?? []),
    freeBytes,
    storeFault,
    nvrVersion: nvrSays ?? undefined,
    policyNvrVersion: tableHead.nvr,
    customRolesSince: tableHead.custom_roles_since,
    // With a proxy's accounts it is the proxy that asks for a second factor.
    secondFactor: settings.auth.enabled ? settings.auth.second_factor : undefined,
    admins,
    idlePasskeys,
    providerFaults,
    exposed,
  };
}

async function freeBytesAtStore({ store: { url } }: Settings): Promise<number | undefined> {
  const disk = url.engine === 'sqlite' ? await statfs(dirname(url.file)).catch(() => undefined) : undefined;
  return disk && disk.bavail * disk.bsize;
}

async function adminsOf({ users, usersWithFactor }: Pick<InsideDeps, 'users' | 'usersWithFactor'>) {
  const admins = (await users()).filter(({ role }) => role === ADMIN);
  const known = new Set<string>((await usersWithFactor()).map(({ user }) => user));
  return { withoutFactor: admins.filter(({ name }) => !known.has(name)).length, all: admins.length };
}
