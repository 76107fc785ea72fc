/** Runs doctor: with a token for its probes, and with how NVR, cameras, store, disk and accounts are (SPEC 15). */
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { TokenAdmin } from '../../accounts/tokens/token-routes.ts';
import type { Settings } from '../../config/schema/schema.ts';
import type { UserFactors } from '../../domain/accounts/second-factor.ts';
import { publicAddress, trustedNetworks } from '../../domain/addresses.ts';
import { type Clock, unixSeconds } from '../../domain/clock.ts';
import { ADMIN, VIEWER } from '../../domain/names.ts';
import type { TableHead } from '../../domain/policy.ts';
import { err, messageOf, ok, type Result } from '../../domain/result.ts';
import { nvrCheck, nvrVersion } from '../../gateway/forward/nvr-questions.ts';
import { namesOfCameras } from '../../gateway/forward/watch-cameras.ts';
import { exposedPorts, internalPortOf } from './exposed-ports.ts';
import { nvrPorts } from './ports.ts';
import type { ProbeRules } from './probe-routes.ts';
import { createReport, type InsideWithoutPorts, type Report, type ReportWishes } from './report.ts';

/** The machine that doctor runs on: beside the server, or in it. */
export interface DoctorPlace {
  readonly settings: Settings;
  readonly tableHead: TableHead;
  readonly clock: Clock;
  readonly tokens: Pick<TokenAdmin, 'create' | 'revoke'>;
  readonly users: () => Promise<readonly { readonly name: string; readonly role: string }[]>;
  readonly usersWithFactor: () => Promise<readonly UserFactors[]>;
  /** Rejects when the store does not answer. */
  readonly probeStore: () => Promise<unknown>;
  /** What keeps people from signing in with the providers, a sentence each. */
  readonly providerFaults: () => Promise<readonly string[]>;
}

export interface DoctorRun extends ReportWishes {
  /** Default: `server.public_url`. */
  readonly url?: URL | undefined;
  /** Whose name the token gets; undefined where nobody is logged in (the command line, the internal listener): an admin's. */
  readonly asker?: string | undefined;
}

/** Long enough for the longest silence that may be asked for. */
const TOKEN_SECONDS = 600;
/** No camera is called so: whatever the address leads to, the token shows nothing. */
const NO_CAMERA = 'no-camera-of-this-name';

/** The token is known to the server, may nothing, ends soon and is taken back at the end. Errs with a sentence. */
export async function runDoctor(
  place: DoctorPlace,
  { url, asker, ...wishes }: DoctorRun,
): Promise<Result<Report, string>> {
  const { settings, tableHead, clock, tokens } = place;
  const { public_url } = settings.server;
  // With a proxy's accounts a token's user is a name and nothing more.
  const user = asker ?? (await place.users()).find(({ role }) => role === ADMIN)?.name ?? 'doctor';
  const expires_at = unixSeconds(clock) + TOKEN_SECONDS;
  const made = await tokens.create({ user, name: 'postern doctor', role: VIEWER, cameras: [NO_CAMERA], expires_at });
  if (!made.ok) return err(made.error.message);
  try {
    const report = await createReport({
      ...wishes,
      url: url ?? (public_url && new URL(publicAddress(public_url, '/'))),
      token: made.value.text,
      identityHeaders: identityHeadersOf(settings),
      internalPort: internalPortOf(settings),
      ports: nvrPorts(tableHead),
      inside: () => observeInside(place),
      now: () => clock.now() / 1000,
    });
    return ok(report);
  } finally {
    await tokens.revoke(made.value.token.id);
  }
}

async function observeInside(place: DoctorPlace): Promise<InsideWithoutPorts> {
  const { settings, tableHead } = place;
  const [nvr, exposed, storeFault, freeBytes, nvrSays, admins, faults] = await Promise.all([
    nvrCheck(place),
    exposedPorts(place),
    place.probeStore().then(
      () => null,
      (fault: unknown) => messageOf(fault),
    ),
    freeBytesAtStore(settings),
    nvrVersion(place),
    adminsOf(place).catch(() => undefined),
    place.providerFaults(),
  ]);
  const nvrFault = nvr.kind === 'unused' ? undefined : nvr.kind === 'failed' ? nvr.reason : null;
  return {
    nvrFault,
    cameras: nvrFault === null ? (await namesOfCameras(place).catch(() => undefined))?.length : undefined,
    freeBytes,
    storeFault,
    nvrVersion: nvrSays ?? undefined,
    policyNvrVersion: tableHead.nvr,
    // With a proxy's accounts it is the proxy that asks for a second factor.
    secondFactor: settings.auth.enabled ? settings.auth.second_factor : undefined,
    admins,
    providerFaults: faults,
    exposed,
  };
}

async function freeBytesAtStore({ store: { url } }: Settings): Promise<number | undefined> {
  const disk = url.engine === 'sqlite' ? await statfs(dirname(url.file)).catch(() => undefined) : undefined;
  return disk && disk.bavail * disk.bsize;
}

async function adminsOf({ users, usersWithFactor }: DoctorPlace): Promise<InsideWithoutPorts['admins']> {
  const admins = (await users()).filter(({ role }) => role === ADMIN);
  const known = new Set<string>((await usersWithFactor()).map(({ user }) => user));
  return { withoutFactor: admins.filter(({ name }) => !known.has(name)).length, all: admins.length };
}

/** What the routes that doctor's probes ask need of the settings. */
export function probeRules(settings: Settings, clock: Clock): ProbeRules {
  const trusted = trustedNetworks(settings.auth.trusted_proxies);
  return {
    isTrustedPeer: trusted.includes,
    identityHeaders: identityHeadersOf(settings),
    now: () => clock.now() / 1000,
  };
}

/** None with accounts of its own: then no header says who calls. */
function identityHeadersOf({ auth, proxy }: Settings): readonly string[] {
  if (auth.enabled) return [];
  const { user, role } = proxy.header_map;
  return [...new Set([user, role].filter((name) => name !== undefined))];
}
