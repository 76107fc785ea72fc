/** Fulfils the obligations of an admitted request: its body is judged, its response is filtered or made here (SPEC 5). */
import type { IncomingMessage } from 'node:http';
import type { Obligations, SignallingObligations, StartedThing } from '../../access/access-verdict.ts';
import { type CameraView, type PlainView, plainView } from '../../access/camera-view.ts';
import { judgeBody } from '../../access/judge-body.ts';
import { judgeOfferBody, LARGEST_OFFER } from '../../access/live-offer.ts';
import { NO_ADAPTER, type NvrAdapter } from '../../access/nvr-adapter.ts';
import { queryValues, withCameras } from '../../access/query.ts';
import { adapterFor } from '../../access/route-table.ts';
import { askInTurns, boundsOf, createShares, type Hold, type Sharer } from '../../domain/async.ts';
import { parseNumber } from '../../domain/events/parse-value.ts';
import { boundedJson } from '../../domain/json.ts';
import { type ComposedList, isCommonForm } from '../../domain/policy.ts';
import type { RefusalReason } from '../../domain/refusal.ts';
import type { RequestTarget } from '../../domain/request.ts';
import { attempt, err, ok, type Result } from '../../domain/result.ts';
import { readBody } from '../../routes/read-body.ts';
import type { Admitted } from '../decision/admit.ts';
import type { Destination } from '../decision/destinations.ts';
import { noteStarted } from '../decision/owner-lookup.ts';
import { askFailure } from '../decision/upstream-failure.ts';
import type { Gate } from '../gate.ts';
import type { PublicPlace } from '../response/public-place.ts';
import { turnAt } from './held-body.ts';
import type { NarrowedBytes } from './narrow-task.ts';
import { createComposedCache, createNarrower } from './narrower.ts';
import { createErrorReader, type NarrowingPlan } from './response-filter.ts';

export type Settled =
  | { readonly kind: 'sent'; readonly body?: Buffer; readonly contentType?: string; readonly narrowing?: NarrowingPlan }
  /** The request is not sent: the response is this JSON. */
  | { readonly kind: 'answered'; readonly json: string }
  | { readonly kind: 'refused'; readonly reason: RefusalReason; readonly field?: string };

/** How a response is narrowed; the memory and the turn for it are added when the request is sent. */
type Narrowing = Omit<NarrowingPlan, 'hold' | 'turn'>;

/** Bytes that all responses may hold. */
const MOST_HELD_BYTES = 128 * 1024 * 1024;
/** One for the process, whatever is reloaded: the memory is shared as well. */
const HELD = createBufferBudget(MOST_HELD_BYTES);
/** One for the process: it may start a thread. */
const NARROWER = createNarrower();

const refused = (reason: RefusalReason) => ({ kind: 'refused', reason }) as const;

/** A request that was admitted, and whose share is taken of the questions to the NVR and of the memory for its answers. */
export interface Sending {
  readonly request: IncomingMessage;
  readonly admission: Admitted;
  readonly destination: Destination;
  readonly sharer: Sharer;
  readonly gate: Gate;
}

interface Fulfilment extends Sending {
  readonly obligations: Obligations;
  /** What the words of the row mean. */
  readonly nvr: NvrAdapter;
  /** Asks the server to which the request goes. */
  readonly askText: (path: string) => Promise<string>;
}

export async function fulfilObligations(sending: Sending): Promise<Settled> {
  const { request, admission, destination, sharer, gate } = sending;
  const { obligations, route } = admission;
  if (!obligations) return { kind: 'sent' };
  const { messages, ownData, fanout, signalling } = obligations;
  if (messages) return refused('not-narrowable');
  const askText = (path: string) => gate.askText(destination.upstream, path, sharer);
  const work = { ...sending, obligations, nvr: adapterFor(route), askText };
  if (ownData && destination.kind !== 'events-backend') return unlessNvrFails(composedList(work, ownData.list));
  if (fanout) return unlessNvrFails(joinedList(work, fanout));
  if (signalling) return judgedOffer(request, signalling, gate);
  const body = await judgedBody(work);
  if (body.kind === 'refused') return body;
  return unlessNvrFails(
    chooseNarrowing(work).then((narrowing) => ({
      ...body,
      ...(narrowing && {
        narrowing: { ...narrowing, hold: HELD.hold(sharer), turn: turnAt(destination.upstream, sharer) },
      }),
    })),
  );
}

const unlessNvrFails = (settling: Promise<Settled>): Promise<Settled> =>
  settling.catch((fault: unknown) => refused(askFailure(fault)));

const composeKept = createComposedCache();

/** A list without a camera parameter, made of what the NVR tells by camera. */
async function composedList(
  { admission: { target }, destination: { upstream }, obligations: { view }, nvr, askText }: Fulfilment,
  name: ComposedList | undefined,
): Promise<Settled> {
  const rule = name && nvr.lists[name];
  if (!name || !rule) return refused('not-narrowable');
  const limit = rule.limit?.of(limitIn(target));
  const most = limit === undefined ? undefined : rule.limit?.composed(limit);
  const list = { name, keptFor: rule.keptFor, upstream: JSON.stringify(upstream), limit: most };
  const compose = (plain: PlainView) =>
    NARROWER.ask({ kind: 'compose', list: name, view: plain, limit: most }, askText, nvr);
  const text = await composeKept(list, plainView(view), compose);
  if (limit === undefined || limit === most) return { kind: 'answered', json: text };
  return answered(await NARROWER.narrow({ kind: 'cut', list: name, text, limit }, nvr));
}

const answered = (made: NarrowedBytes): Settled =>
  made.ok ? { kind: 'answered', json: Buffer.from(made.value.buffer).toString() } : refused(made.error);

async function joinedList(
  { admission: { target }, obligations, sharer, nvr, askText }: Fulfilment,
  fanout: NonNullable<Obligations['fanout']>,
): Promise<Settled> {
  const { responseForm: form, view, reading } = obligations;
  const hold = HELD.hold(sharer);
  try {
    const lists = await listsByCamera(target, fanout, askText, hold);
    if (!lists) return refused('answers-too-large');
    const limit = limitIn(target);
    const task = { kind: 'join', lists, form, view: plainView(view), limit, reading } as const;
    return answered(await NARROWER.narrow(task, nvr));
  } finally {
    hold.release();
  }
}

const limitIn = ({ query }: RequestTarget): number | undefined => parseNumber(queryValues(query, 'limit').at(-1));

/** Bytes of the largest configuration that `onConfigRead` gets: it is parsed on the event loop when it has changed; some hundred kB are usual. */
const LARGEST_LEARNED = 1024 * 1024;

async function chooseNarrowing(work: Fulfilment): Promise<Narrowing | undefined> {
  const { obligations, destination, gate, nvr, askText } = work;
  const { responseForm: form, view, empty, playlistAt, refusedHeader, startedFor, reading, addresses } = obligations;
  if (playlistAt !== undefined) return playlistNarrowing(playlistAt);
  if (refusedHeader !== undefined) return untouched(view, { refusedHeader: refusedHeader.name });
  if (startedFor !== undefined) return started(view, startedFor);
  /** Writes the addresses of the server itself as clients see them; where it is seen as it is, they stay. */
  const written = async (narrowed: NarrowedBytes, place: PublicPlace | undefined): Promise<NarrowedBytes> =>
    addresses && place && narrowed.ok
      ? NARROWER.narrow({ kind: 'addresses', body: narrowed.value, members: addresses, place }, nvr)
      : narrowed;
  if (addresses && !form) return untouched(view, { body: (body, place) => written(ok(body), place) });
  // The events backend always honours the query. An NVR may be too old to know the parameter.
  const isOurs = destination.kind === 'events-backend';
  if (!form || (obligations.isRewritten && isOurs)) return undefined;
  const { since: _, ...whole } = plainView(view);
  const own = isCommonForm(form) ? undefined : form;
  const rule = own && nvr.answers[own];
  const reader = {
    // The events backend has left out what is older by itself; its sums tell no time.
    view: isOurs ? whole : plainView(view),
    ...(reading && { reading }),
    ...(own &&
      rule?.knows && {
        known:
          rule.knows === 'own-config'
            ? await gate.ownConfig()
            : await NARROWER.ask({ kind: 'know', form: own, view: plainView(view) }, askText, nvr),
      }),
  };
  return {
    body: async (body, place) => {
      // An NVR that is told the role may leave cameras out of the configuration for a restricted role.
      const isLearned = rule?.hasLayout && view.clearance !== 'restricted' && body.byteLength <= LARGEST_LEARNED;
      if (isLearned) gate.onConfigRead(body);
      return written(await NARROWER.narrow({ kind: 'narrow', form, body, ...reader }, nvr), place);
    },
    reader: createErrorReader(view),
    hidesUnknown: view.clearance === 'restricted' && (form === 'one' || obligations.owners !== undefined),
    ...(empty === undefined ? {} : { empty }),
  };
}

/** The response as it is, or none of it. */
const untouched = (view: CameraView, how: Partial<Narrowing>): Narrowing => ({
  body: (body) => Promise.resolve(ok(body)),
  reader: createErrorReader(view),
  hidesUnknown: false,
  ...how,
});

/** Bytes. It holds an id, or a playlist of one stream. */
const LARGEST_START = 64 * 1024;

/** The answer to a start is passed on, and the cameras of what was started are kept. */
const started = (view: CameraView, thing: StartedThing): Narrowing => {
  const body = (bytes: Uint8Array<ArrayBuffer>) => {
    if (bytes.byteLength <= LARGEST_START) noteStarted(thing, Buffer.from(bytes).toString());
    return Promise.resolve(ok(bytes));
  };
  return untouched(view, { body });
};

/** A day in segments of ten seconds has less than one. */
const LARGEST_PLAYLIST = 4 * 1024 * 1024;

const playlistNarrowing = (directory: string): Narrowing => ({
  body: async (body) =>
    body.byteLength > LARGEST_PLAYLIST
      ? err('nvr-unexpected-form')
      : NARROWER.narrow({ kind: 'playlist', body, directory }, NO_ADAPTER),
  reader: { clearance: 'restricted', namesForeign: () => true },
  hidesUnknown: false,
});

/** Bytes of one response that are always allowed: most responses are smaller, and pass while others hold all that there is. */
const ALWAYS_ROOM_FOR = 512 * 1024;
/** One caller has room for the largest response. */
const OF_CALLER = 1 / 4;
const ALL = '';

/** The memory that responses which must be read whole may hold, all requests together (SPEC 5: at most 32 MB each). */
export function createBufferBudget(most: number) {
  const shares = createShares();
  return {
    hold(sharer: Sharer): Hold {
      const hold = shares.hold([[ALL, most], ...boundsOf(sharer, most * OF_CALLER)]);
      let seen = 0;
      return {
        take(bytes = 0) {
          seen += bytes;
          return seen <= ALWAYS_ROOM_FOR || hold.take(bytes);
        },
        release: hold.release,
      };
    },
  };
}

/** The text of each list; undefined when the memory budget is used up. Rejects when the NVR does not send one. */
async function listsByCamera(
  target: RequestTarget,
  { parameter, cameras }: NonNullable<Obligations['fanout']>,
  ask: (path: string) => Promise<string>,
  hold: Hold,
): Promise<readonly string[] | undefined> {
  let hasCapacity = true;
  const lists = await askInTurns(cameras, async (camera) => {
    if (!hasCapacity) return '';
    const { path, query } = withCameras(target, parameter, [camera]);
    const text = await ask(`${path}?${query}`);
    hasCapacity = hold.take(text.length) && hasCapacity;
    return text;
  });
  return hasCapacity ? lists : undefined;
}

/** Bytes. A list of ids, what to export, or an offer: each is far smaller. */
const LARGEST_JUDGED_BODY = LARGEST_OFFER;

/**
 * Media types whose body is judged: of a form a server would read other fields. Without one, or as the text that browsers
 * name where a script names nothing, it is judged as JSON.
 */
const JSON_TYPE = /^(?:(?:application\/(?:[\w.-]+\+)?json|text\/plain)\s*(?:;\s*charset="?utf-8"?\s*)?)?$/i;

const readJudged = (request: IncomingMessage, { bodySeconds: seconds }: Gate) =>
  readBody(request, { bytes: LARGEST_JUDGED_BODY, ...(seconds !== undefined && { seconds }) });

const BODY_FAULTS = { gone: 'body-unreadable', 'too-slow': 'body-too-slow', 'too-large': 'body-too-large' } as const;
const OFFER_FAULTS = { gone: 'offer-unreadable', 'too-slow': 'body-too-slow', 'too-large': 'offer-too-large' } as const;

/** The body to send in the place of the request's own, or why it may not be sent. */
async function judgedBody(work: Fulfilment): Promise<Exclude<Settled, { kind: 'answered' }>> {
  const { request, admission, obligations, sharer, gate, nvr } = work;
  const { body: rule, view } = obligations;
  if (!rule) return { kind: 'sent' };
  const body = await readJudged(request, gate);
  if (!body.ok) return refused(BODY_FAULTS[body.error]);
  if (body.value.length === 0) return { kind: 'sent', body: body.value };
  const { 'content-type': type = '', 'content-encoding': encoding } = request.headers;
  const json = JSON_TYPE.test(type) ? readJudgedJson(body.value, encoding) : err('body-unreadable' as const);
  if (!json.ok) return refused(json.error);
  const verdict = judgeBody(json.value, rule, view, { pushHosts: gate.pushHosts, nvr });
  if (verdict.kind === 'refused') return verdict;
  const askedFor = { method: request.method ?? '', target: admission.target, sharer };
  const denied = await gate.rules().owners.denial(verdict.owners, view, askedFor);
  if (denied) return refused(denied);
  // Written anew, so that no key is repeated: servers differ in which of two they read.
  return { kind: 'sent', body: Buffer.from(JSON.stringify(verdict.json)) };
}

/** The same for an offer of live pictures. */
async function judgedOffer(request: IncomingMessage, offers: SignallingObligations, gate: Gate): Promise<Settled> {
  const { 'content-type': contentType = '', 'content-encoding': encoding = 'identity' } = request.headers;
  if (encoding !== 'identity') return refused('offer-unreadable');
  const body = await readJudged(request, gate);
  if (!body.ok) return refused(OFFER_FAULTS[body.error]);
  const offer = judgeOfferBody({ contentType, body: body.value }, offers);
  return offer.ok ? { kind: 'sent', ...offer.value } : refused(offer.error);
}

/** An unreadable body is refused: the NVR may read more, for its parser also takes UTF-16. So is one that is nested without end: to walk it would exhaust the stack. */
export function readJudgedJson(body: Buffer, encoding = 'identity'): Result<unknown, RefusalReason> {
  const text = attempt(() => new TextDecoder('utf-8', { fatal: true }).decode(body));
  const json = encoding === 'identity' && text !== undefined ? boundedJson(text) : undefined;
  return json === undefined ? err('body-unreadable') : ok(json);
}
