/** Runs doctor with a token for its probes, in the server or beside it (SPEC 15). */
import type { z } from 'zod';
import type { MADE_TOKEN } from '../../accounts/http/answers.ts';
import type { Frame } from '../../accounts/http/route-commands.ts';
import { loadPolicy } from '../../config/policy/load-policy.ts';
import { publicAddress } from '../../domain/addresses.ts';
import { unixSeconds } from '../../domain/clock.ts';
import { ADMIN, VIEWER } from '../../domain/names.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { Report } from './cause.ts';
import { type DoctorPlace, observeInside } from './inside.ts';
import { publicPorts } from './ports.ts';
import { identityHeaders } from './probe-routes.ts';
import { createReport, type ReportOptions } from './report.ts';

/** What the command line may say of a run. */
export interface DoctorRun extends Pick<ReportOptions, 'proxy' | 'headers' | 'ca' | 'silence'> {
  /** Default: `server.public_url`. */
  readonly url?: URL | undefined;
  /** Whose name the token gets; undefined without a login (the command line, the internal listener): an admin's. */
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
  const { settings, clock, asker: ask } = place;
  const { public_url } = settings.server;
  // With a proxy's accounts a token's user is a name and nothing more.
  const user = asker ?? (await place.store.accounts.listUsers()).find(({ role }) => role === ADMIN)?.name ?? 'doctor';
  const expires_at = unixSeconds(clock) + TOKEN_SECONDS;
  const body = { name: 'postern doctor', role: VIEWER, cameras: [NO_CAMERA], expires_at };
  const made = await ask('POST /api/tokens', { owner: user, body });
  if (!made.ok) return err(made.error.message);
  const { id, token } = made.value as z.output<typeof MADE_TOKEN>;
  try {
    const report = await createReport({
      ...wishes,
      url: url ?? (public_url && new URL(publicAddress(public_url, '/'))),
      token,
      identityHeaders: identityHeaders(settings),
      ports: publicPorts(place),
      inside: () => observeInside(place),
      now: () => clock.now() / 1000,
    });
    return ok(report);
  } finally {
    await ask('DELETE /api/tokens/{id}', { params: { id } });
  }
}

/** Runs doctor beside the server. Rejects with a sentence when there is no configuration or store to work with. */
export async function doctorAt(
  { place, openStore, faults }: Pick<Frame, 'place' | 'openStore' | 'faults'>,
  run: DoctorRun,
): Promise<Report> {
  const { directory, clock } = place();
  const { settings, store, asker, close } = await openStore('change');
  try {
    const policy = await loadPolicy(settings.nvr.policy, directory);
    if (policy.kind === 'invalid') throw new Error('nvr.policy cannot be read: "postern check" says why');
    const here = { settings, tableHead: policy.head, clock, store, asker, faults: () => faults(settings, clock) };
    const report = await runDoctor(here, run);
    if (!report.ok) throw new Error(`${report.error}; start the server once with this directory if it has never run`);
    return report.value;
  } finally {
    await close();
  }
}
