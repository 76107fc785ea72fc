/** What a listener's gate works with; a reload makes all of it anew. */
import type { MaybePromise } from '../../domain/async.ts';
import type { Caller } from '../../domain/caller.ts';
import type { RefusalReason } from '../../domain/refusal.ts';
import type { RequestFacts } from '../../domain/request.ts';
import type { SharedThing } from '../../domain/shared-thing.ts';
import type { BoundRoute } from '../../routes/own-route.ts';
import type { Rules } from '../decision/admit.ts';
import type { Client } from '../decision/client.ts';
import type { ClientLimits } from '../decision/client-limits.ts';
import type { DestinationRules } from '../decision/destinations.ts';
import type { GateWatch } from '../decision/gate-watch.ts';
import type { Forwarder } from '../forward/forwarder.ts';
import type { HeaderRules } from '../forward/rewrite-headers.ts';
import type { UpstreamSlots } from '../forward/upstream-slots.ts';
import type { ObligationDeps } from '../narrow/obligations.ts';
import type { RefusalRules } from '../response/error-responses.ts';
import type { MessageRelay } from '../websocket/message-relay.ts';
import type { OpenStreams } from './open-streams.ts';
import type { UnknownRoutes } from './unknown-routes.ts';
import type { ViewingWatch } from './viewing-watch.ts';

export interface GateDeps {
  readonly rules: () => Rules;
  readonly destinations: () => DestinationRules;
  readonly headers: () => HeaderRules;
  readonly refusals: () => RefusalRules;
  readonly forwarder: Forwarder;
  /** What one client may have under way; it outlives a reload, as the connections do. */
  readonly clientLimits: ClientLimits;
  readonly upstreamSlots: UpstreamSlots;
  readonly ownRoutes: readonly BoundRoute[];
  /** A Set-Cookie line when the caller's session is near its end (interface 5.1.2). */
  readonly renewal: (caller: Caller, client: Client) => MaybePromise<string | undefined>;
  /** The same at any time in a session's life, for `/auth` (interface 5.1.5). */
  readonly refresh: (caller: Caller, client: Client) => MaybePromise<string | undefined>;
  /** The caller as of now; undefined when the session or token has ended. */
  readonly recheck: (caller: Caller) => Promise<Caller | undefined>;
  /** What narrowing asks the NVR, and what it composes itself. */
  readonly obligationDeps: Omit<ObligationDeps, 'owners' | 'sharer'>;
  readonly relay: MessageRelay;
  readonly openStreams: Pick<OpenStreams, 'add' | 'addSocket'>;
  /** Lets the viewer of a link in, once the request is admitted; gives the reason when the link is used up. */
  readonly enterLink: (caller: Caller, client: Client, request: RequestFacts) => Promise<RefusalReason | undefined>;
  /** What to say where the NVR has failed to send a file of a link, of which the path's end is the name: perhaps there is none. */
  readonly linkFault?: (thing: SharedThing, path: string, reason: RefusalReason) => Promise<RefusalReason>;
  /** Called for each known caller, with the request that was judged. */
  readonly onCaller: (caller: Caller, client: Client, request: RequestFacts) => void;
  readonly unknownRoutes: UnknownRoutes;
  readonly newRequestId: () => string;
  readonly watch: GateWatch;
  /** Undefined: none is recorded. */
  readonly viewings: ViewingWatch | undefined;
}
