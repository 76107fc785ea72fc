/** Introduces the status page to everybody who knows a part of how the service is (SPEC 8). */
import { X509Certificate } from 'node:crypto';
import type { Settings } from './config/schema.ts';
import type { ServiceStatus, StatusCertificate, StatusWarning } from './domain/status.ts';
import { askText, type Question } from './gateway/ask-upstream.ts';
import type { UnknownRoutes } from './gateway/unknown-routes.ts';
import type { Recent } from './telemetry/recent.ts';
import type { Readiness } from './telemetry/telemetry-server.ts';

export interface StatusSources {
  readonly settings: Settings;
  readonly version: string;
  /** Unix seconds. */
  readonly startedAt: number;
  readonly warnings: readonly string[];
  /** PEM of what is served now; undefined without TLS. */
  readonly certificate: () => string | undefined;
  readonly recent: Recent;
  readonly limiter: { size(): number; limited(): number };
  readonly readiness: () => Promise<Readiness>;
  /** Undefined when there is no NVR. */
  readonly nvrVersion: Question | undefined;
}

export function serviceStatus(sources: StatusSources, unknownRoutes: UnknownRoutes) {
  const { settings, recent, limiter } = sources;
  const warnings = sources.warnings.map(asWarning);
  return async (): Promise<ServiceStatus> => {
    const [readiness, nvr] = await Promise.all([sources.readiness(), nvrVersion(sources.nvrVersion)]);
    return {
      startedAt: sources.startedAt,
      versions: { postern: sources.version, node: process.version, nvr },
      store: readiness.store,
      nvr: readiness.nvr,
      events: readiness.events,
      certificate: certificateOf(sources.certificate()),
      warnings,
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

const LONGEST_VERSION = 64;

async function nvrVersion(question: Question | undefined): Promise<string | null> {
  if (!question) return null;
  const said = await askText(question).catch(() => undefined);
  return said?.trim().slice(0, LONGEST_VERSION) || null;
}

function certificateOf(pem: string | undefined): StatusCertificate | null {
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
