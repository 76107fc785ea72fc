/** What `postern doctor` needs of this machine: a token for its probes, and how NVR, cameras and disk are (SPEC 15). */
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { layoutOfConfig } from '../../access/recorder-layout.ts';
import type { Settings } from '../../config/schema/schema.ts';
import type { InsideSeen } from '../../doctor/observations.ts';
import { unixSeconds } from '../../domain/clock.ts';
import { ADMIN, VIEWER } from '../../domain/names.ts';
import { publicAddress } from '../../domain/public-url.ts';
import { identityHeadersOf } from '../gate/probe-deps.ts';
import { askerOf, nvrCheck } from '../resources/upstreams.ts';
import { type CommandPlace, openForCommands } from './commands.ts';

export interface DoctorInstance {
  /** `server.public_url`. */
  readonly publicUrl: URL | undefined;
  /** Known to the running server, may nothing, and ends soon. */
  readonly token: string;
  readonly identityHeaders: readonly string[];
  inside(): Promise<Omit<InsideSeen, 'openPorts'>>;
  /** Takes the token back. */
  close(): Promise<void>;
}

/** Long enough for the longest silence that may be asked for. */
const TOKEN_SECONDS = 600;
/** No camera is called so: whatever the public address leads to, the token shows nothing. */
const NO_CAMERA = 'no-camera-of-this-name';

/** Rejects with a sentence when there is no configuration or store to work with. */
export async function openForDoctor(place: CommandPlace): Promise<DoctorInstance> {
  const opened = await openForCommands(place, 'change');
  const { settings, users, apiTokens } = opened;
  const admin = (await users.list()).find(({ role }) => role === ADMIN)?.name;
  const made = await apiTokens.create({
    user: admin ?? 'doctor',
    name: 'postern doctor',
    role: VIEWER,
    cameras: [NO_CAMERA],
    expiresAt: unixSeconds(place.clock) + TOKEN_SECONDS,
  });
  if (!made.ok) {
    await opened.close();
    throw new Error(`${made.error.message}; has the server been started once with this directory?`);
  }
  const { public_url } = settings.server;
  return {
    publicUrl: public_url && new URL(publicAddress(public_url, '/')),
    token: made.value.text,
    identityHeaders: identityHeadersOf(settings),
    inside: () => lookInside(settings),
    async close() {
      await apiTokens.revoke(made.value.token.id);
      await opened.close();
    },
  };
}

async function lookInside(settings: Settings): Promise<Omit<InsideSeen, 'openPorts'>> {
  const nvr = await nvrCheck(settings);
  const nvrFault = nvr.kind === 'unused' ? undefined : nvr.kind === 'failed' ? nvr.reason : null;
  const cameras = nvrFault === null ? await camerasOf(settings).catch(() => undefined) : undefined;
  const { url } = settings.store;
  const disk = url.engine === 'sqlite' ? await statfs(dirname(url.file)).catch(() => undefined) : undefined;
  return { nvrFault, cameras, freeBytes: disk && disk.bavail * disk.bsize };
}

async function camerasOf(settings: Settings): Promise<number | undefined> {
  const { url, cameras } = settings.nvr;
  if (!url) return undefined;
  return layoutOfConfig(await askerOf(settings)(url, '/api/config'), cameras).cameras.length;
}
