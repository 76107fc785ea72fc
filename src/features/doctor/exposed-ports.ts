/** Ports of the NVR that answer where other machines may reach them: looked for once at the start, and by doctor (SPEC 15). */
import { lookup } from 'node:dns/promises';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import type { Settings } from '../../config/schema/schema.ts';
import { type NetworkSurroundings, outsideAddresses } from '../../domain/addresses.ts';
import type { NvrConfig } from '../../gateway/forward/nvr-questions.ts';
import type { ExposedPort } from './observations.ts';
import { internalPort, type KnownPort, type NvrPorts, nvrPorts, openNvrPort, openPorts } from './ports.ts';

/** Both mark the root of a container: the one of Docker, the other of Podman. */
const CONTAINER_MARKS = ['/.dockerenv', '/run/.containerenv'] as const;

export interface ExposedPortsOptions {
  readonly signal?: AbortSignal;
  readonly surroundings?: (settings: Settings) => Promise<NetworkSurroundings>;
}

/** None without an NVR. Never rejects. A port that does not answer takes 2 s. */
export async function exposedPorts(
  { settings, tableHead }: NvrConfig,
  { signal, surroundings = lookAround }: ExposedPortsOptions = {},
): Promise<readonly ExposedPort[]> {
  const { nvr } = settings;
  if (!nvr.url) return [];
  const around = await surroundings(settings);
  const { own, others } = outsideAddresses(around);
  const internal = internalPortOf(settings);
  const looked = nvrPorts(tableHead);
  const ports = [...portsToTry(nvr.url, looked), ...internalPort(internal, looked)];
  // In a container the internal listener is meant to be open on its own network.
  const notOwn = ports.filter(({ port }) => !around.isContainer || port !== internal);
  const tried = [
    ...own.map((address) => ({ address, ports: notOwn })),
    ...others.map((address) => ({ address, ports })),
  ].map(async ({ address, ports: these }) =>
    (await openPorts(address, these, signal)).map((open) => ({ address, ...open })),
  );
  return (await Promise.all(tried)).flat();
}

/** Undefined where it is off, or at a path. */
export const internalPortOf = ({ server: { internal } }: Settings): number | undefined =>
  internal === false || internal.path !== undefined ? undefined : internal.port;

/** The port of `nvr.url` may be another one than usual. WebRTC is left out: some publish it on purpose. */
function portsToTry(url: NonNullable<Settings['nvr']['url']>, ports: NvrPorts): readonly KnownPort[] {
  const usual = ports.known.filter(({ ask }) => ask !== 'webrtc');
  const isUsual = url.kind === 'unix' || usual.some(({ port }) => port === url.port);
  return isUsual ? usual : [...usual, openNvrPort(url.port, ports)];
}

async function lookAround({ nvr: { url } }: Settings): Promise<NetworkSurroundings> {
  const looked = url?.kind === 'tcp' ? await lookup(url.host).catch(() => undefined) : undefined;
  return {
    isContainer: CONTAINER_MARKS.some((mark) => existsSync(mark)),
    interfaces: Object.entries(networkInterfaces()).flatMap(([name, addresses]) =>
      (addresses ?? []).map((one) => ({ name, ...one })),
    ),
    routes: await readFile('/proc/net/route', 'latin1').catch(() => ''),
    nvrAddress: looked?.address,
  };
}
