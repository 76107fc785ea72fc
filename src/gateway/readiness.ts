/** What `/readyz` and the status page say, gathered from the parts of the service (SPEC 8, 9). */

import { X509Certificate } from 'node:crypto';
import type { Services } from '../app/services.ts';
import { publicAddress } from '../domain/addresses.ts';
import { steadyNow } from '../domain/clock.ts';
import type { ReachStatus, ServiceStatus, StatusCertificate, StatusWarning } from '../domain/status.ts';
import type { EventsBackend } from '../events/open-events.ts';
import type { Health } from '../telemetry/health.ts';
import { type CheckResult, createKnownCheck, OK, type Readiness } from '../telemetry/readiness.ts';
import type { UnknownRoutes } from './entry/pipeline.ts';
import { type NvrConfig, nvrCheck, nvrVersion } from './forward/nvr-questions.ts';

/** The servers that sign identities, by their names, and why the last answer of each was none. */
export type ProviderFaults = ReadonlyMap<string, () => string | undefined>;

export function judgeReadiness(
  config: NvrConfig,
  {
    health,
    certificates,
  }: { readonly health: Health; readonly certificates: { problem(): string | undefined } | undefined },
  backend: EventsBackend | undefined,
  cameraFault: () => string | undefined,
  providers: ProviderFaults,
) {
  const now = steadyNow;
  const { store: storeHealth } = health;
  const storeCheck = createKnownCheck({
    name: 'the store',
    ask: async () => reachedUnless(await storeHealth.fault()),
    known: () => reachedUnless(storeHealth.known()),
    now,
  });
  const nvrReached = createKnownCheck({
    name: 'the NVR',
    ask: () => nvrCheck(config),
    known: (last = { kind: 'failed', reason: 'the NVR has not answered yet' }) => last,
    now,
  });
  // It starts with the first question: until then nothing is wrong with it.
  const eventsCheck =
    backend && createKnownCheck({ name: 'the events backend', ask: backend.health, known: (last = OK) => last, now });
  return async (): Promise<Readiness> => {
    const [store, nvr, events, descriptors] = await Promise.all([
      storeCheck(),
      nvrReached(),
      eventsCheck ? eventsCheck() : ({ kind: 'unused' } as const),
      health.process.descriptors(),
    ]);
    const refused = certificates?.problem();
    return {
      store,
      store_changes: health.changes.check(),
      nvr: withCameras(nvr, config.settings.nvr.url ? cameraFault() : undefined),
      events,
      certificate: certificates
        ? refused === undefined
          ? OK
          : { kind: 'degraded', reason: refused }
        : { kind: 'unused' },
      descriptors,
      event_loop: health.process.eventLoop(),
      clock: health.process.clock(),
      log: health.log(),
      ...(providers.size > 0 && { identity_providers: providersCheck(providers) }),
    };
  };
}

/** Never `failed`: passwords, or keys that are known already, let people in meanwhile. */
function providersCheck(providers: ProviderFaults): CheckResult {
  const faults = [...providers].flatMap(([name, faultOf]) => {
    const fault = faultOf();
    return fault === undefined ? [] : [`${name}: ${fault}`];
  });
  return faults.length === 0 ? OK : { kind: 'degraded', reason: faults.join('; ') };
}

const reachedUnless = (fault: Error | undefined): ReachStatus =>
  fault ? { kind: 'failed', reason: fault.message } : OK;

/** An NVR that cannot be reached is told as that. */
const withCameras = (nvr: ReachStatus, fault: string | undefined): CheckResult =>
  nvr.kind === 'ok' && fault !== undefined
    ? {
        kind: 'degraded',
        reason: `the list of cameras cannot be read from the NVR (${fault}): check that nvr.url is the address of an NVR, or set nvr.cameras`,
      }
    : nvr;

/** What the status page tells. `version` is Postern's own; `startedAt` in Unix seconds; `warnings`: a sentence each. */
export function serviceStatus(
  config: NvrConfig,
  readiness: () => Promise<Readiness>,
  warnings: () => readonly string[],
  { limiter, recent }: Pick<Services, 'limiter' | 'recent'>,
  {
    version,
    startedAt,
    certificates,
    unknownRoutes,
  }: Pick<ServiceStatus, 'startedAt'> & {
    readonly version: string;
    readonly certificates: { current(): { readonly certificate: string } } | undefined;
    readonly unknownRoutes: UnknownRoutes;
  },
): () => Promise<ServiceStatus> {
  const { settings } = config;
  return async (): Promise<ServiceStatus> => {
    const { public_url } = settings.server;
    const [{ store, nvr, events }, nvrSays] = await Promise.all([readiness(), nvrVersion(config)]);
    return {
      startedAt,
      versions: { postern: version, node: process.version, nvr: nvrSays },
      publicUrl: public_url ? publicAddress(public_url, '/') : null,
      store,
      // What it lacks is told on /readyz: for the pages it answers.
      nvr: nvr.kind === 'degraded' ? OK : nvr,
      events,
      certificate: certificates ? readCertificate(certificates.current().certificate) : null,
      warnings: warnings().map(asWarning),
      limiter: {
        clauses: settings.auth.failed_login_rate_limit,
        addresses: limiter.size(),
        limited: limiter.limited(),
      },
      loginFailures: recent.loginFailures(),
      unknownRoutes: unknownRoutes.list(),
      failures: recent.failures(),
    };
  };
}

function readCertificate(pem: string): StatusCertificate {
  const read = new X509Certificate(pem);
  return {
    subject: read.subject.replaceAll('\n', ', '),
    expiresAt: read.validToDate.getTime() / 1000,
    isSelfSigned: read.issuer === read.subject,
  };
}

/** `config.yaml:9:20 auth.hash_iterations: 1000 is below …`: the key stands behind the place. */
function asWarning(sentence: string): StatusWarning {
  const found = /^\S+ (?<key>[a-z_]+(?:\.[\w[\]."]+)+): (?<message>.*)$/s.exec(sentence)?.groups;
  return { key: found?.['key'] ?? null, message: found?.['message'] ?? sentence };
}
