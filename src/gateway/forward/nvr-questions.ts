/** What Postern itself asks the NVR: whether it is there, and its release (SPEC 6, 9). */
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { readMember } from '../../access/recorder-layout.ts';
import type { Settings } from '../../config/schema/schema.ts';
import type { ServiceConfig } from '../../config/service-config.ts';
import { targetAt, type Upstream } from '../../domain/addresses.ts';
import { type Sharer, sharedRun, withTimeLimit } from '../../domain/async.ts';
import { ADMIN, ANONYMOUS } from '../../domain/names.ts';
import { compareReleases, DEFAULT_ALIVE } from '../../domain/policy.ts';
import { faultMessage } from '../../domain/result.ts';
import {
  ask,
  askJson,
  askText,
  OF_THE_SERVICE,
  type UpstreamQuestion,
  type UpstreamTls,
} from '../../outbound/ask-upstream.ts';
import { OK, type PartState, UNUSED } from '../../telemetry/readiness.ts';
import { upstreamAt } from '../decision/destinations.ts';
import { askFailure } from '../decision/upstream-failure.ts';
import { varyHeader } from '../response/response-headers.ts';
import type { ForwardRules } from './forwarder.ts';
import { identityHeaders } from './judged-request.ts';

/** What questions to the NVR are made from. */
export type NvrConfig = Pick<ServiceConfig, 'settings' | 'tableHead'>;

/** The server that answers for a path: the NVR, or another one of `nvr.routes`. */
export const upstreamOfNvr = ({ nvr }: Settings, path: string): Upstream | undefined =>
  nvr.url && upstreamAt(path.split('?', 1)[0] ?? '', { routes: nvr.routes, nvr: nvr.url });

/** The JSON of a 200 answer, undefined of a 404. */
export const createAsker = (settings: Settings) => async (upstream: Upstream, path: string, sharer?: Sharer) =>
  askJson(await questionFor(settings, upstream, path, sharer));

const PATIENCE_SECONDS = 5;

/** Asked in Postern's own name, with an admin's rights. `path` is written as requests are judged: the prefix of a server that is below one is taken off here. */
export async function questionFor(
  settings: Settings,
  upstream: Upstream,
  path: string,
  sharer = OF_THE_SERVICE,
): Promise<UpstreamQuestion> {
  const { nvr } = settings;
  return {
    upstream,
    path: targetAt(upstream, path),
    headers: identityHeaders(ANONYMOUS, ADMIN, nvr.auth_secret),
    timeout: PATIENCE_SECONDS,
    tls: await readNvrTls(settings),
    sharer,
  };
}

const tlsOfSettings = new WeakMap<Settings, Promise<UpstreamTls>>();

/** PEM. Rejects with a sentence when the file cannot be read, or holds no certificate: Node takes any text for authorities. */
export async function readAuthority(file: string): Promise<string> {
  const pem = await readFile(file, 'utf8').catch((fault: NodeJS.ErrnoException) => {
    throw new Error(`${file} cannot be read (${fault.code}): put the file there, readable for this user`);
  });
  try {
    new X509Certificate(pem);
  } catch (cause) {
    throw new Error(`${file} is not a certificate in PEM: write that of the authority there`, { cause });
  }
  return pem;
}

/** `nvr.ca` is read once for each configuration. Rejects with a sentence when the file cannot be used. */
export function readNvrTls(settings: Settings): Promise<UpstreamTls> {
  const known = tlsOfSettings.get(settings);
  if (known !== undefined) return known;
  const { ca, verify } = settings.nvr;
  const reading = ca === undefined ? Promise.resolve(undefined) : readAuthority(ca).catch(asNvrCa);
  const tls = reading.then((pem) => ({ ca: pem, verify }));
  tlsOfSettings.set(settings, tls);
  tls.catch(() => tlsOfSettings.delete(settings)); // the file may be there at the next question
  return tls;
}

const asNvrCa = (fault: Error): never => {
  throw new Error(`nvr.ca: ${fault.message}`, { cause: fault });
};

/** A connection that takes longer will not come. */
const CONNECT_SECONDS = 5;

export async function readForwardRules(settings: Settings): Promise<ForwardRules> {
  const { nvr, auth, ui } = settings;
  return {
    ...(await readNvrTls(settings)),
    cookieName: auth.cookie_name,
    frameAncestors: ui.frame_ancestors,
    varies: varyHeader(settings),
    maxUpload: nvr.max_upload,
    timeoutConnect: CONNECT_SECONDS,
    timeoutResponse: nvr.timeout_response,
    timeoutIdle: nvr.timeout_idle,
  };
}

export async function nvrCheck({ settings, tableHead }: NvrConfig): Promise<PartState> {
  const path = tableHead.alive ?? tableHead.release?.path ?? DEFAULT_ALIVE;
  const upstream = upstreamOfNvr(settings, path);
  if (!upstream) return UNUSED;
  try {
    await ask(await questionFor(settings, upstream, path));
    return OK;
  } catch (fault) {
    return { kind: 'failed', reason: faultMessage(fault), problem: askFailure(fault) };
  }
}

const LONGEST_VERSION = 64;

/** The release as the NVR says it: `0.18.0-1234abcd`; null without an NVR, where its table does not say how, or without an answer. */
export async function nvrVersion({ settings, tableHead }: NvrConfig): Promise<string | null> {
  const { release } = tableHead;
  const upstream = release && upstreamOfNvr(settings, release.path);
  if (!upstream) return null;
  const said = await questionFor(settings, upstream, release.path)
    .then(askText)
    .then((text) => (release.field === undefined ? text : readField(text, release.field)))
    .catch(() => undefined);
  return said?.trim().slice(0, LONGEST_VERSION) || null;
}

function readField(text: string, field: string): string | undefined {
  const value = readMember(JSON.parse(text), field);
  return typeof value === 'string' ? value : undefined;
}

/** Milliseconds. */
const FRESH = 60_000;
const LONGEST_WAIT = 2000;

/**
 * Whether the NVR is known to be older than a release: pages of some know the roles admin and viewer only, and some pictures
 * are found by a name since another (SPEC 5, 11). Never rejects. `ask`: the version as the NVR says it; null without an answer.
 * `now`: milliseconds of a steady clock.
 */
export function createReleaseCheck(ask: () => Promise<string | null>, now: () => number, longestWait = LONGEST_WAIT) {
  let known: { readonly version: string | undefined; readonly at: number } | undefined;
  const refresh = sharedRun(async () => {
    const version = await ask().catch(() => null);
    // What was known stays, while the NVR says nothing.
    known = { version: version ?? known?.version, at: now() };
  });
  return async (release: string): Promise<boolean> => {
    const isFresh = known !== undefined && now() - known.at < FRESH;
    const refreshing = isFresh ? undefined : refresh();
    // A page waits for it: only the first answer is waited for, and not for long.
    if (refreshing && known?.version === undefined) await withTimeLimit(refreshing, longestWait, () => undefined);
    return compareReleases(known?.version, release) < 0;
  };
}
