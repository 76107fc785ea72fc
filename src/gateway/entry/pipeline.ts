/** What the middleware of the pipeline leave for each other in Koa's `ctx.state`, and what they report of admitted requests. */
import type { OutgoingHttpHeaders } from 'node:http';
import type Koa from 'koa';
import type { Ending } from '../../domain/async.ts';
import { type Caller, lostRights, type RouteState } from '../../domain/caller.ts';
import { type Clock, unixSeconds } from '../../domain/clock.ts';
import { traitsFor } from '../../domain/credentials.ts';
import { REFUSALS, type RefusalFacts, type RefusalReason } from '../../domain/refusal.ts';
import type { RequestFacts } from '../../domain/request.ts';
import type { RequestWatch } from '../../telemetry/watch-gate.ts';
import type { Admitted } from '../decision/admit.ts';
import type { TakePlace } from '../decision/client-limits.ts';
import type { HeadListener } from '../forward/judged-request.ts';
import type { Gate } from '../gate.ts';
import { atEndOfTurn, endWith } from '../response/client-socket.ts';
import {
  type CompressedResponse,
  errorResponse,
  type OwnResponse,
  viewedResponse,
} from '../response/error-responses.ts';

/** `RouteState` is for Postern's own routes; `app.ts` fills it. */
export interface PipelineState extends RouteState {
  /** Set by `observe`. */
  facts: RequestFacts;
  watch: RequestWatch;
  /** Set by `observe`; `decide` keeps the one that a trusted proxy sent. */
  requestId: string;
  /** Set by `observe`. What is taken for the request is given back here: its `close` event may have been before. */
  ending: Ending;
  takePlace: TakePlace;
  /** Set by `decide`. */
  admission: Admitted;
  /** Set by `decide`: a proxy asks about another request, and `admission` is about that one. */
  isForwardAuth: boolean;
  /** Set by `decide`: the method of that other request. */
  describedMethod: string;
}

export type PipelineContext = Koa.ParameterizedContext<PipelineState>;
export type Middleware = (ctx: PipelineContext, next: Koa.Next) => Promise<unknown>;

/**
 * Sends a response of Postern's own, all of it at once, past Koa's response helpers. `cookie` is a line of `Set-Cookie`. A response
 * that has begun cannot become another one: its connection is closed.
 */
export function respond(
  { req: request, res: response, state: { watch, requestId } }: PipelineContext,
  content: OwnResponse | CompressedResponse,
  cookie?: string,
): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  const length = Buffer.byteLength(content.body);
  const headers: OutgoingHttpHeaders = { ...content.headers, 'content-length': length, 'x-request-id': requestId };
  if (cookie !== undefined) {
    headers['set-cookie'] = cookie;
    if (headers['cache-control'] !== 'no-store') headers['cache-control'] = 'private, no-store';
  }
  // The rest of the request's body is not read, so the connection cannot be used for another request.
  const { 'content-length': announced, 'transfer-encoding': coding } = request.headers;
  if (announced !== undefined || coding !== undefined) headers.connection = 'close';
  response.writeHead(content.status, headers);
  if (request.method !== 'HEAD' && length > 0) watch.onBytes(length);
  atEndOfTurn(() => endWith(response, content.body));
}

/** The response to a request that is refused to this caller. */
export function refusalFor(
  { state: { facts, requestId } }: PipelineContext,
  caller: Caller | undefined,
  refusal: ToldRefusal,
  { refusals }: Pick<Gate, 'refusals'>,
): OwnResponse {
  const { reason, ...more } = toldTo(caller, refusal);
  return viewedResponse(errorResponse(reason, facts, requestId, refusals, more), caller);
}

/** What the client is told of a refusal. What shows nothing now is to its visitor over, whatever the cause. */
function toldTo(caller: Caller | undefined, refusal: ToldRefusal): ToldRefusal {
  const reason = caller ? traitsFor(caller.credential).refusedAs : 'cause';
  return reason !== 'cause' && [401, 403].includes(REFUSALS[refusal.reason].status) ? { reason } : refusal;
}

interface ToldRefusal extends RefusalFacts {
  readonly reason: RefusalReason;
}

/** While something was waited for, the caller may have lost the rights. */
export const lostMeanwhile = async (
  caller: Caller | undefined,
  { recheck }: Pick<Gate, 'recheck'>,
): Promise<RefusalReason | undefined> => caller && lostRights(await recheck(caller), caller);

/** Tells the features of responses that show pictures or sound: when they begin, and when they end (SPEC 14). */
export interface ViewingWatch {
  /** The first byte is there. Returns the function to call behind the last one. `isWhole`: not a range, nor what the client has already. */
  begin(asked: AskedPictures, isWhole: boolean): () => void;
  /** A proxy in front asked about the request: what came of it is not known here. */
  asked(asked: AskedPictures): void;
}

export interface AskedPictures {
  readonly admission: Admitted;
  readonly method: string;
  /** The body of the request, where it was read: JSON. */
  readonly body?: Buffer | undefined;
}

/** Whether the row's responses show anything. The response to HEAD shows nothing. */
export const showsPictures = ({ admission: { route }, method }: AskedPictures): boolean =>
  route.kind === 'listed' && route.row.views !== undefined && method !== 'HEAD';

/** A refusal or a fault of the NVR shows nothing; 304 shows what the client has already. */
const isShown = (status: number): boolean => (status >= 200 && status < 300) || status === 304 || status === 101;
/** Players ask for many ranges. */
const isWhole = (status: number): boolean => status !== 206 && status !== 304;

/** What to tell of the head; undefined where nothing is shown. The viewing ends with the request. */
export function viewingNoter(
  viewings: ViewingWatch | undefined,
  asked: AskedPictures,
  ending: Ending,
): HeadListener | undefined {
  if (!viewings || !showsPictures(asked)) return undefined;
  return (status) => {
    if (!isShown(status)) return;
    ending.defer(viewings.begin(asked, isWhole(status)));
  };
}

/** Requested routes that the route table does not list: a newer NVR may have more than its table (SPEC 5). */
export type UnknownRoutes = ReturnType<typeof createUnknownRoutes>;

/** A list for a person's eyes, which no client can make grow. */
const MOST_ROUTES = 100;
const LONGEST_PATH = 200;

/** `lastSeenAt`: Unix seconds. */
interface UnknownRoute {
  readonly method: string;
  readonly path: string;
  readonly count: number;
  readonly lastSeenAt: number;
}

export function createUnknownRoutes(clock: Clock) {
  const seen = new Map<string, UnknownRoute>();
  return {
    /** Notes a route by method and path; digits and ids in the path do not make another route. */
    note(method: string, segments: readonly string[]): void {
      const path = `/${segments.map(withoutIds).join('/')}`.slice(0, LONGEST_PATH);
      const known = seen.get(`${method} ${path}`);
      if (known === undefined && seen.size >= MOST_ROUTES) return;
      seen.set(`${method} ${path}`, { method, path, count: (known?.count ?? 0) + 1, lastSeenAt: unixSeconds(clock) });
    },
    /** The latest first; a path is `/api/new_thing/*`. */
    list: (): readonly UnknownRoute[] => [...seen.values()].sort((a, b) => b.lastSeenAt - a.lastSeenAt),
  };
}

const withoutIds = (segment: string): string => (/\d/.test(segment) || segment.length > 40 ? '*' : segment);
