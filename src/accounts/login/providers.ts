/** Identity providers, as logins, invitations, proofs, logouts and pages know them; a feature gives them (SPEC 16). */
import type { Services } from '../../app/services.ts';
import type { RouteContext } from '../../routes/own-route.ts';
import { refusedFor } from '../http/kernel.ts';
import type { ProviderSessions } from '../sessions/sessions.ts';
import type { ProofElsewhere, Prover } from './reauthenticate.ts';

export interface LoginProvider {
  readonly name: string;
  /** What people call it. */
  readonly label: string;
  /** The path at which a login with it begins, below the base path. */
  readonly loginPath: string;
  /** A second factor that it has seen counts here. */
  readonly isTrusted: boolean;
  /** Why its last answer was none. */
  readonly fault: () => string | undefined;
  /** Where its own session ends with a logout here; undefined: it goes on. */
  readonly endSession: () => Promise<string | undefined>;
}

export interface Providers {
  /** The order is that of the configuration; none where Postern has no login of its own. */
  readonly list: readonly LoginProvider[];
  /** Keeps which sessions a provider may end. */
  readonly sessions?: ProviderSessions;
  /** The address at the provider where the person is asked again; undefined when the response is set already. */
  ask(ctx: RouteContext, services: Services, prover: Prover, asked: ProofElsewhere): Promise<string | undefined>;
}

export const NO_PROVIDERS: Providers = {
  list: [],
  ask: async () => {
    throw refusedFor('sign-in-unknown');
  },
};
