/** What the status page tells, gathered from the parts of the service (SPEC 8). */
import { X509Certificate } from 'node:crypto';
import type { LoginLimiter } from '../accounts/login/login-limiter.ts';
import { publicAddress } from '../domain/addresses.ts';
import type { ServiceStatus, StatusCertificate, StatusWarning, UnknownRoute } from '../domain/status.ts';
import { OK, type Readiness } from '../telemetry/readiness.ts';
import type { RecentFailures } from '../telemetry/recent-failures.ts';
import { type NvrConfig, nvrVersion } from './forward/nvr-questions.ts';

export interface StatusSources {
  readonly config: NvrConfig;
  readonly readiness: () => Promise<Readiness>;
  /** Postern's own. */
  readonly version: string;
  /** Unix seconds. */
  readonly startedAt: number;
  /** PEM. Undefined without TLS. */
  readonly certificate: () => string | undefined;
  /** A sentence each. */
  readonly warnings: () => readonly string[];
  readonly limiter: Pick<LoginLimiter, 'size' | 'limited'>;
  readonly recent: RecentFailures;
  readonly unknownRoutes: { list(): readonly UnknownRoute[] };
}

export function serviceStatus(sources: StatusSources): () => Promise<ServiceStatus> {
  const { config, readiness, startedAt, limiter, recent } = sources;
  const { settings } = config;
  return async (): Promise<ServiceStatus> => {
    const { public_url } = settings.server;
    const [{ store, nvr, events }, nvrSays] = await Promise.all([readiness(), nvrVersion(config)]);
    return {
      startedAt,
      versions: { postern: sources.version, node: process.version, nvr: nvrSays },
      publicUrl: public_url ? publicAddress(public_url, '/') : null,
      store,
      // What it lacks is told on /readyz: for the pages it answers.
      nvr: nvr.kind === 'degraded' ? OK : nvr,
      events,
      certificate: readCertificate(sources.certificate()),
      warnings: sources.warnings().map(asWarning),
      limiter: {
        clauses: settings.auth.failed_login_rate_limit,
        addresses: limiter.size(),
        limited: limiter.limited(),
      },
      loginFailures: recent.loginFailures(),
      unknownRoutes: sources.unknownRoutes.list(),
      failures: recent.failures(),
    };
  };
}

function readCertificate(pem: string | undefined): StatusCertificate | null {
  if (pem === undefined) return null;
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
