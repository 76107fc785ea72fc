/** How the service is, as `GET /api/status` tells an admin: an unknown part is null (SPEC 8). Times are Unix seconds. */
import type { RefusalReason } from './refusal.ts';

export interface ServiceStatus {
  readonly startedAt: number | null;
  readonly versions: StatusVersions | null;
  /** `server.public_url`; null when it is not set. */
  readonly publicUrl: string | null;
  readonly store: PartState | null;
  readonly nvr: PartState | null;
  /** The events backend. */
  readonly events: PartState | null;
  /** The certificate of the external listener; null without TLS. */
  readonly certificate: StatusCertificate | null;
  /** Sentences of the start and of every reload since, each with the key that ends it. */
  readonly warnings: readonly StatusWarning[] | null;
  readonly limiter: LimiterStatus | null;
  /** An entry for each of the last 24 hours, the oldest first. */
  readonly loginFailures: readonly FailuresInHour[] | null;
  /** Paths that no row of the route table names, the latest first: only admins come through there. */
  readonly unknownRoutes: readonly UnknownRoute[] | null;
  /** Admitted requests that could not be answered, the latest first. */
  readonly failures: readonly FailedRequest[] | null;
}

export type PartState =
  | { readonly kind: 'ok' }
  /** It is not configured. */
  | { readonly kind: 'unused' }
  /** `degraded`: it works in part, and requests still come. `problem`: by it pages say the reason in the reader's language. */
  | { readonly kind: 'degraded' | 'failed'; readonly reason: string; readonly problem?: RefusalReason };

export interface StatusVersions {
  readonly postern: string;
  readonly node: string;
  readonly nvr: string | null;
}

export interface StatusCertificate {
  readonly subject: string;
  readonly expiresAt: number;
  readonly isSelfSigned: boolean;
}

export interface StatusWarning {
  /** `auth.trusted_proxies`; null when the sentence names none. */
  readonly key: string | null;
  readonly message: string;
}

export interface LimiterStatus {
  /** `5/minute;20/hour`; null when the limiter is off. */
  readonly clauses: string | null;
  /** Addresses with failures in memory. */
  readonly addresses: number;
  /** Clients that are limited now, as far as this process knows. */
  readonly limited: number;
}

export interface FailuresInHour {
  /** When the hour began. */
  readonly start: number;
  readonly count: number;
}

export interface UnknownRoute {
  readonly method: string;
  readonly path: string;
  readonly count: number;
  readonly lastSeenAt: number;
}

export interface FailedRequest {
  readonly at: number;
  readonly reason: RefusalReason;
  readonly method: string;
  readonly path: string;
  readonly requestId: string;
}
