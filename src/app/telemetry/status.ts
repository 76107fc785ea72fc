/** Introduces the status page to everybody who knows a part of how the service is (SPEC 8). */
import { X509Certificate } from 'node:crypto';
import type { Settings } from '../../config/schema.ts';
import type { ServiceStatus, StatusCertificate, StatusWarning } from '../../domain/status.ts';
import { askText } from '../../gateway/forward/ask-upstream.ts';
import type { Readiness } from '../../telemetry/telemetry-server.ts';
import type { Runtime } from '../runtime.ts';
import { questionFor } from '../upstreams.ts';

export function serviceStatus(settings: Settings, runtime: Runtime, readiness: () => Promise<Readiness>) {
  const { startedAt, options, certificates, counters, accounts, unknownRoutes } = runtime;
  return async (): Promise<ServiceStatus> => {
    const [{ store, nvr, events }, nvrSays] = await Promise.all([readiness(), nvrVersion(settings)]);
    return {
      startedAt,
      versions: { postern: options.version, node: process.version, nvr: nvrSays },
      store,
      nvr,
      events,
      certificate: certificateOf(certificates?.current().certificate),
      warnings: runtime.warnings().map(asWarning),
      limiter: {
        clauses: settings.auth.failed_login_rate_limit,
        addresses: accounts.limiter.size(),
        limited: accounts.limiter.limited(),
      },
      loginFailures: counters.recent.loginFailures(),
      unknownRoutes: unknownRoutes.list(),
      failures: counters.recent.failures(),
    };
  };
}

const LONGEST_VERSION = 64;

async function nvrVersion(settings: Settings): Promise<string | null> {
  const { url } = settings.nvr;
  if (!url) return null;
  const said = await questionFor(settings, url, '/api/version')
    .then(askText)
    .catch(() => undefined);
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
