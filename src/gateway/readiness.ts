/** The parts of the service under one configuration, and what the page Status tells of it (SPEC 8, 9). */

import { X509Certificate } from 'node:crypto';
import type { LoginProvider } from '../accounts/login/reauthenticate.ts';
import type { Services } from '../app/services.ts';
import { publicAddress } from '../domain/addresses.ts';
import type { EventsBackend } from '../events/open-events.ts';
import {
  createKnownCheck,
  degradedBy,
  OK,
  type PartState,
  type Parts,
  type Readiness,
} from '../telemetry/readiness.ts';
import type { UnknownRoutes } from './entry/pipeline.ts';
import { type NvrConfig, nvrCheck, nvrVersion } from './forward/nvr-questions.ts';

/** A server that signs identities, and why its last answer was none. */
type Signer = Pick<LoginProvider, 'name' | 'fault'>;

/** `nvr` asks the NVR, and its gauge follows each answer. */
export function partsUnder(
  config: NvrConfig,
  backend: EventsBackend | undefined,
  cameraFault: () => string | undefined,
  providers: readonly Signer[],
  metrics: Pick<Services['metrics'], 'upstreamUp'>,
) {
  const nvrReached = createKnownCheck({
    name: 'the NVR',
    problem: 'nvr-timeout',
    async ask() {
      const state = await nvrCheck(config);
      metrics.upstreamUp.set(state.kind === 'unused' ? undefined : Number(state.kind === 'ok'));
      return state;
    },
    known: (last = { kind: 'failed', reason: 'the NVR has not answered yet', problem: 'nvr-timeout' }) => last,
  });
  return {
    nvr: async () => withCameras(await nvrReached(), config.settings.nvr.url && cameraFault()),
    // It starts with the first question: until then nothing is wrong with it.
    events:
      backend &&
      createKnownCheck({
        name: 'the events backend',
        problem: 'backend-unavailable',
        ask: backend.health,
        known: (last = OK) => last,
      }),
    ...(providers.length > 0 && { identity_providers: () => providersPart(providers) }),
  } satisfies Parts;
}

/** Never `failed`: passwords, or keys that are known already, let people in meanwhile. */
function providersPart(providers: readonly Signer[]): PartState {
  const faults = providers.flatMap(({ name, fault }) => (fault() === undefined ? [] : [`${name}: ${fault()}`]));
  return degradedBy(faults.length > 0 && faults.join('; '));
}

/** An NVR that cannot be reached is told as that. */
const withCameras = (nvr: PartState, fault: string | undefined): PartState =>
  nvr.kind === 'ok' && fault !== undefined
    ? {
        kind: 'degraded',
        reason: `the list of cameras cannot be read from the NVR (${fault}): check that nvr.url is the address of an NVR, or set nvr.cameras`,
        problem: 'cameras-unknown',
      }
    : nvr;

/** How the service is, as `GET /api/status` tells an admin. Times are Unix seconds. */
export type ServiceStatus = Awaited<ReturnType<ReturnType<typeof serviceStatus>>>;

/** `version` is Postern's own; `warnings`: a sentence each, of the start and of every reload since, with the key that ends it. */
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
  }: {
    readonly version: string;
    readonly startedAt: number;
    readonly certificates: { current(): { readonly certificate: string } } | undefined;
    readonly unknownRoutes: UnknownRoutes;
  },
) {
  const { settings } = config;
  return async () => {
    const { public_url } = settings.server;
    // What is asked for the first time is answered by then: an NVR that needs longer than readiness waits is no fault.
    const [, nvrSays] = await Promise.all([readiness(), nvrVersion(config)]);
    const { store, nvr, events } = await readiness();
    return {
      startedAt,
      versions: { postern: version, node: process.version, nvr: nvrSays },
      /** Null: `server.public_url` is not set. */
      publicUrl: public_url ? publicAddress(public_url, '/') : null,
      store,
      nvr,
      events,
      /** The external listener's; null without TLS. */
      certificate: certificates ? readCertificate(certificates.current().certificate) : null,
      warnings: warnings().map(asWarning),
      limiter: {
        /** `5/minute;20/hour`; null when the limiter is off. */
        clauses: settings.auth.failed_login_rate_limit,
        /** Addresses with failures in memory, and addresses that are limited now, as far as this process knows. */
        addresses: limiter.size(),
        limited: limiter.limited(),
      },
      loginFailures: recent.loginFailures(),
      unknownRoutes: unknownRoutes.list(),
      failures: recent.failures(),
    };
  };
}

function readCertificate(pem: string) {
  const read = new X509Certificate(pem);
  return {
    subject: read.subject.replaceAll('\n', ', '),
    expiresAt: read.validToDate.getTime() / 1000,
    isSelfSigned: read.issuer === read.subject,
  };
}

/** `config.yaml:9:20 auth.hash_iterations: 1000 is below …`: the key stands behind the place; null where there is none. */
function asWarning(sentence: string) {
  const found = /^\S+ (?<key>[a-z_]+(?:\.[\w[\]."]+)+): (?<message>.*)$/s.exec(sentence)?.groups;
  return { key: found?.['key'] ?? null, message: found?.['message'] ?? sentence };
}
