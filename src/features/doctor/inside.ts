/** What stands beside or behind Postern, observed, and the causes in it: the NVR, its ports, the store, the disk, how accounts are protected. */
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Settings } from '../../config/schema/schema.ts';
import type { Clock } from '../../domain/clock.ts';
import { ADMIN } from '../../domain/names.ts';
import { compareReleases } from '../../domain/policy.ts';
import { faultMessage } from '../../domain/result.ts';
import { type NvrConfig, nvrCheck, nvrVersion } from '../../gateway/forward/nvr-questions.ts';
import { namesOfCameras } from '../../gateway/forward/watch-cameras.ts';
import type { RouteAsker } from '../../routes/own-route.ts';
import type { Store } from '../../store/open-store.ts';
import { advice, type Cause, error, warning } from './cause.ts';
import { type ExposedPort, exposedPorts, type OpenPort } from './ports.ts';

/** The machine that doctor runs on: beside the server, or in it. */
export interface DoctorPlace extends NvrConfig {
  readonly clock: Clock;
  readonly store: Pick<Store, 'accounts' | 'probe'>;
  /** Asks the routes of tokens. */
  readonly asker: RouteAsker;
  /** What keeps features from working with other servers, a sentence each. */
  readonly faults: () => Promise<readonly string[]>;
}

/** What the machine itself says; a part that was not looked at is undefined. */
export async function observeInside(place: DoctorPlace) {
  const { settings, tableHead } = place;
  const [nvr, exposed, storeFault, freeBytes, nvrSays, admins, faults] = await Promise.all([
    nvrCheck(place),
    exposedPorts(place),
    place.store.probe().then(
      () => null,
      (fault: unknown) => faultMessage(fault),
    ),
    freeBytesAtStore(settings),
    nvrVersion(place),
    countAdmins(place).catch(() => undefined),
    place.faults(),
  ]);
  const nvrFault = nvr.kind === 'unused' ? undefined : nvr.kind === 'failed' ? nvr.reason : null;
  return {
    /** Why the NVR does not answer; null when it does; undefined without one. */
    nvrFault,
    cameras: nvrFault === null ? (await namesOfCameras(place).catch(() => undefined))?.length : undefined,
    /** Bytes free where the store is. */
    freeBytes,
    /** Why the store does not answer; null when it does. */
    storeFault,
    nvrVersion: nvrSays ?? undefined,
    policyNvrVersion: tableHead.nvr,
    // With a proxy's accounts it is the proxy that asks for a second factor.
    secondFactor: settings.auth.enabled ? settings.auth.second_factor : undefined,
    /** Admins who log in with a password alone, and all admins. */
    admins,
    providerFaults: faults,
    exposed,
  };
}

async function freeBytesAtStore({ store: { url } }: Settings): Promise<number | undefined> {
  const disk = url.engine === 'sqlite' ? await statfs(dirname(url.file)).catch(() => undefined) : undefined;
  return disk && disk.bavail * disk.bsize;
}

async function countAdmins({ store: { accounts } }: DoctorPlace) {
  const admins = await accounts.listUsers({ role: ADMIN });
  return { withoutFactor: admins.filter(({ hasFactor }) => !hasFactor).length, all: admins.length };
}

/** The open ports are looked for from the public address. */
export type InsideSeen = Awaited<ReturnType<typeof observeInside>> & { readonly openPorts: readonly OpenPort[] };

const LEAST_FREE_BYTES = 500_000_000;

/** The sentence about a port that is open at the public address. */
const openSentence = ({ port, what }: OpenPort): string => `port ${port} is open at the public address: ${what}`;
const versions = ({ nvrVersion, policyNvrVersion }: InsideSeen): string =>
  `the NVR is ${nvrVersion}, and the route table was made for ${policyNvrVersion}`;

// biome-ignore format: a table
export const INSIDE_CAUSES: readonly Cause<InsideSeen>[] = [
  error('nvr-port-open', ({ openPorts }) => openPorts.filter(({ ask }) => ask !== 'webrtc').map(openSentence)),
  warning('nvr-port-open', ({ openPorts }) => openPorts.filter(({ ask }) => ask === 'webrtc').map(openSentence)),
  error('nvr-port-open', ({ exposed }) => exposed.map(exposedSentence)),
  error('nvr', ({ nvrFault }) => typeof nvrFault === 'string' && `the NVR does not answer: ${nvrFault}`),
  warning('nvr', ({ cameras }) => cameras === 0 && 'the NVR has no cameras, so custom roles see nothing'),
  warning('nvr-version', (seen) => compareReleases(seen.nvrVersion, seen.policyNvrVersion) > 0 &&
    `${versions(seen)}: new paths are for admins only`),
  advice('nvr-version', (seen) => compareReleases(seen.nvrVersion, seen.policyNvrVersion) < 0 &&
    `${versions(seen)}: a custom role may get less than it could`),
  error('store', ({ storeFault }) => typeof storeFault === 'string' && `the store does not answer: ${storeFault}`),
  warning('store', ({ freeBytes = Number.POSITIVE_INFINITY }) => freeBytes < LEAST_FREE_BYTES &&
    `${Math.round(freeBytes / 1e6)} MB are free on the disk of the store: logins fail when it is full`),
  advice('second-factor', ({ secondFactor }) => secondFactor === 'off' &&
    'no second factor is asked for: a guessed or stolen password is enough for a login'),
  advice('second-factor', ({ secondFactor, admins }) => secondFactor === 'optional' && admins && admins.withoutFactor > 0 &&
    `${admins.withoutFactor} of ${admins.all} admins have no second factor: a stolen password is enough to get in`),
  error('sign-in-provider', ({ providerFaults }) => providerFaults),
];

/** The sentence about an open port, for the log, the status page and doctor alike. */
export const exposedSentence = ({ address, port, what }: ExposedPort): string =>
  `port ${port} answers at ${address}, where other machines reach it unless a firewall is between: ${what}`;
