/** What `explain` tells of a request: its caller, the rule and the row, the verdict, and what would be sent (SPEC 1). */
import type { Role } from '../../domain/names.ts';
import type { RefusalReason, Reopening } from '../../domain/refusal.ts';
import type { HeaderTrace } from '../../identity/identity-trace.ts';
import type { Admission } from '../decision/admit.ts';

export interface Explanation {
  readonly request: ExplainedHead & { readonly peer: string };
  /** The request that a proxy asks about, at `/auth`; undefined for one that is judged as it stands. */
  readonly about: ExplainedHead | undefined;
  readonly headers: readonly HeaderTrace[];
  /** Whether the proxy's secret was right; undefined where headers are not believed at all. */
  readonly secret: string | undefined;
  /** What was found out about a session token. */
  readonly token: string | undefined;
  /** The provider that the session began with, as `oidc:home`; absent for none. */
  readonly credential?: string;
  readonly groups: readonly string[];
  /** What is likely wrong: no group gave a role, or a camera is not known. Absent for nothing. */
  readonly hints?: readonly string[];
  /** The sentence of the rule that gave or denied the role. */
  readonly rule: string | undefined;
  readonly user: string | undefined;
  readonly role: string | undefined;
  /** All of them, where the person has several. */
  readonly roles?: readonly Role[];
  /** Hours, history and denied verbs of these roles; absent for none. */
  readonly limits?: readonly string[];
  readonly cameras: 'all' | readonly string[] | undefined;
  /** The cameras of the NVR that are drawn for the caller (SPEC 19); absent for none. */
  readonly drawn?: readonly string[];
  /** Unix seconds: nothing recorded earlier is seen. Absent: all that there is. */
  readonly since?: number;
  /** The cameras of the request and the role, by name, that the service does not know; absent for none. */
  readonly unknownCameras?: readonly string[];
  readonly route: ExplainedRoute | undefined;
  readonly verdict: Admission['kind'];
  readonly status: number | undefined;
  readonly reason: RefusalReason | undefined;
  readonly message: string;
  /** When the same request passes. */
  readonly opens?: Reopening;
  readonly sent: ExplainedRequest | undefined;
}

export interface ExplainedHead {
  readonly method: string;
  readonly path: string;
}

export interface ExplainedRoute {
  readonly route: string;
  readonly access: string;
  readonly cameras: readonly string[];
  readonly narrow: string | undefined;
  /** `routes.yaml:12`; undefined when no row names the path. */
  readonly row: string | undefined;
}

export interface ExplainedRequest {
  readonly to: string;
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}
