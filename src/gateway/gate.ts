/** What the gate of a generation works with: its rules and its state, made once. Functions say which of it they take: `Pick<Gate, 'rules'>`. */

import type { OwnConfig } from '../access/nvr-adapter.ts';
import type { Upstream } from '../domain/addresses.ts';
import type { MaybePromise, Sharer } from '../domain/async.ts';
import type { Caller } from '../domain/caller.ts';
import type { RefusalReason } from '../domain/refusal.ts';
import type { RequestFacts } from '../domain/request.ts';
import type { UpstreamSlots } from '../outbound/ask-upstream.ts';
import type { BoundRoute } from '../routes/own-route.ts';
import type { GateWatch } from '../telemetry/watch-gate.ts';
import type { Rules } from './decision/admit.ts';
import type { ClientLimits } from './decision/client-limits.ts';
import type { DestinationRules } from './decision/destinations.ts';
import type { Client } from './decision/request-facts.ts';
import type { OpenStreams } from './entry/open-streams.ts';
import type { UnknownRoutes, ViewingWatch } from './entry/pipeline.ts';
import type { Forwarder } from './forward/forwarder.ts';
import type { HeaderRules } from './forward/judged-request.ts';
import type { RefusalRules } from './response/error-responses.ts';
import type { MessageRelay } from './websocket/message-relay.ts';
import type { UpgradeProxy } from './websocket/proxy-upgrade.ts';

export interface Gate {
  /** Made for the headers that are trusted at this moment. */
  readonly rules: () => Rules;
  readonly headers: () => HeaderRules;
  readonly destinations: DestinationRules;
  readonly refusals: RefusalRules;
  readonly forwarder: Forwarder;
  readonly relay: MessageRelay;
  readonly passUpgrade: UpgradeProxy;
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
  /** Hosts of push services that a subscription may name: those of `nvr.push_endpoints`. */
  readonly pushHosts: readonly string[];
  /** Seconds by which a body that is judged must be there; absent: as long as the connection lives. */
  readonly bodySeconds?: number;
  /** The JSON of a 200 response of the NVR, asked in the service's own name. `sharer`: whose share of the questions is taken. */
  readonly ask: (upstream: Upstream, path: string, sharer: Sharer) => Promise<unknown>;
  /** Likewise, its text. */
  readonly askText: (upstream: Upstream, path: string, sharer: Sharer) => Promise<string>;
  /** What stands in the NVR's configuration in the place of its own accounts (SPEC 4.3). */
  readonly ownConfig: () => OwnConfig | Promise<OwnConfig>;
  /** Called with a configuration that was read through the gate: the NVR's pages read it after each change of cameras. */
  readonly onConfigRead: (config: Uint8Array) => void;
  readonly openStreams: Pick<OpenStreams, 'add' | 'addSocket'>;
  /** Lets a visitor in, once the request is admitted; gives the reason when nothing is left to be seen. */
  readonly enter: (visitor: Caller, client: Client, request: RequestFacts) => Promise<RefusalReason | undefined>;
  /** What a visitor is told where the NVR has failed to send a file, of which the path's end is the name: perhaps there is none. */
  readonly visitorFault?:
    | ((visitor: Caller, path: string, reason: RefusalReason) => Promise<RefusalReason>)
    | undefined;
  /** Called for each known caller, with the request that was judged. */
  readonly onCaller: (caller: Caller, client: Client, request: RequestFacts) => void;
  readonly unknownRoutes: UnknownRoutes;
  readonly newRequestId: () => string;
  readonly watch: GateWatch;
  /** Undefined: none is recorded. */
  readonly viewings: ViewingWatch | undefined;
}
