/** What Postern itself asks the NVR: its cameras, and whether it is there (SPEC 6, 9). */
import { readFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import { layoutOfConfig, layoutOfNames } from '../../access/recorder-layout.ts';
import type { Settings } from '../../config/schema/schema.ts';
import type { Upstream } from '../../domain/addresses/socket-address.ts';
import { ADMIN, ANONYMOUS, type CameraName } from '../../domain/names.ts';
import { type KnownCameraList, watchKnownCameras } from '../../gateway/decision/known-cameras.ts';
import { ask, askJson, askText, type UpstreamQuestion } from '../../gateway/forward/ask-upstream.ts';
import type { ForwardRules } from '../../gateway/forward/forwarder.ts';
import type { UpstreamTls } from '../../gateway/forward/upstream-tls.ts';
import { checked, type Reached } from '../../telemetry/readiness.ts';
import type { EventsBackend } from './events.ts';

/** `stored` gives the cameras of the events in the store. */
export function watchCameras(
  settings: Settings,
  backend: EventsBackend | undefined,
  stored: () => Promise<readonly string[]>,
  log: Logger,
): KnownCameraList {
  const { nvr } = settings;
  return watchKnownCameras({
    configured: nvr.cameras,
    ask: layoutAsker(settings, backend, stored),
    // The store's own cameras need no telling: they are where they were found.
    onChange: (cameras) => nvr.url && backend?.setCameras(cameras),
    onFault: (fault) =>
      log.warn(
        { err: fault },
        'the list of cameras could not be read from the NVR, and will be asked for again: check nvr.url',
      ),
  });
}

function layoutAsker(settings: Settings, backend: EventsBackend | undefined, stored: () => Promise<readonly string[]>) {
  const { url, cameras } = settings.nvr;
  const ask = askerOf(settings);
  if (url) return async () => layoutOfConfig(await ask(url, '/api/config'), cameras);
  if (!backend || cameras) return undefined;
  // The store answers at once, by its index: for this the backend need not be started.
  const names = settings.events.source === 'store' ? stored : () => ask(backend.upstream, '/cameras');
  return async () => layoutOfNames((await names()) as readonly CameraName[]);
}

/** The JSON of a 200 answer, undefined of a 404. */
export const askerOf = (settings: Settings) => async (upstream: Upstream, path: string) =>
  askJson(await questionFor(settings, upstream, path));

const PATIENCE_SECONDS = 5;

/** Asked in Postern's own name, with an admin's rights. */
export async function questionFor(settings: Settings, upstream: Upstream, path: string): Promise<UpstreamQuestion> {
  const { nvr } = settings;
  return {
    upstream,
    path,
    headers: {
      [nvr.user_header]: ANONYMOUS,
      [nvr.role_header]: ADMIN,
      ...(nvr.auth_secret === undefined ? {} : { 'x-proxy-secret': nvr.auth_secret }),
    },
    timeout: PATIENCE_SECONDS,
    tls: await nvrTlsOf(settings),
  };
}

const tlsOfSettings = new WeakMap<Settings, Promise<UpstreamTls>>();

/** `nvr.ca` is read once for each configuration. Rejects when the file cannot be read. */
export function nvrTlsOf(settings: Settings): Promise<UpstreamTls> {
  const known = tlsOfSettings.get(settings);
  if (known !== undefined) return known;
  const { ca, verify } = settings.nvr;
  const reading = ca === undefined ? Promise.resolve(undefined) : readFile(ca, 'utf8');
  const tls = reading.then((pem) => ({ ca: pem, verify }));
  tlsOfSettings.set(settings, tls);
  tls.catch(() => tlsOfSettings.delete(settings)); // the file may be there at the next question
  return tls;
}

export async function forwardRulesOf(settings: Settings): Promise<ForwardRules> {
  const { nvr, auth, ui } = settings;
  return {
    ...(await nvrTlsOf(settings)),
    cookieName: auth.cookie_name,
    frameAncestors: ui.frame_ancestors,
    maxUpload: nvr.max_upload,
    timeoutConnect: nvr.timeout_connect,
    timeoutResponse: nvr.timeout_response,
    timeoutIdle: nvr.timeout_idle,
  };
}

export async function nvrCheck(settings: Settings): Promise<Reached> {
  const { url } = settings.nvr;
  if (!url) return { kind: 'unused' };
  return checked(async () => (await ask(await questionFor(settings, url, '/api/version'))).destroy());
}

const LONGEST_VERSION = 64;

/** The version as the NVR says it: `0.18.0-1234abcd`; null without an NVR, or when it does not answer. */
export async function nvrVersion(settings: Settings): Promise<string | null> {
  const { url } = settings.nvr;
  if (!url) return null;
  const said = await questionFor(settings, url, '/api/version')
    .then(askText)
    .catch(() => undefined);
  return said?.trim().slice(0, LONGEST_VERSION) || null;
}
