/** Fulfils the obligations of an admitted request: its body is judged, its response is filtered or made here (SPEC 5). */
import type { IncomingMessage } from 'node:http';
import type { Obligations, StartedThing } from '../../access/access-verdict.ts';
import { type CameraView, type PlainView, plainView } from '../../access/camera-view.ts';
import { NO_ADAPTER } from '../../access/no-adapter.ts';
import type { AnswerRule, NvrAdapter, OwnConfig } from '../../access/nvr-adapter.ts';
import { queryValues } from '../../access/query.ts';
import { adapterOf, type RouteMatch } from '../../access/route-table.ts';
import type { Upstream } from '../../domain/addresses/socket-address.ts';
import type { Sharer } from '../../domain/async/shares.ts';
import { numberOf } from '../../domain/events/parse-value.ts';
import { type AdapterForm, isCommonForm } from '../../domain/policy/policy.ts';
import type { RefusalReason } from '../../domain/refusal.ts';
import type { RequestTarget } from '../../domain/request.ts';
import type { Admitted } from '../decision/admit.ts';
import { askFailure } from '../decision/ask-failure.ts';
import type { Destination } from '../decision/destinations.ts';
import type { OwnerLookup } from '../decision/owner-lookup.ts';
import { noteStarted } from '../decision/started-things.ts';
import type { PublicPlace } from '../response/public-place.ts';
import { createBufferBudget } from './buffer-budget.ts';
import { createComposedCache } from './composed-cache.ts';
import { errorReaderOf } from './error-reader.ts';
import { listsByCamera } from './narrow-fanout.ts';
import { judgedBody, judgedOffer } from './narrow-request.ts';
import type { NarrowedBytes } from './narrow-task.ts';
import { createNarrower } from './narrower.ts';
import type { NarrowingPlan } from './response-filter.ts';

export interface ObligationDeps {
  readonly owners: OwnerLookup;
  /** Whose share is taken of the questions to the NVR, and of the memory for its answers. */
  readonly sharer: Sharer;
  /** Hosts of push services that a subscription may name: those of `nvr.push_endpoints`. */
  readonly pushHosts: readonly string[];
  /** Seconds by which a body that is judged must be there; absent: as long as the connection lives. */
  readonly bodySeconds?: number;
  /** The JSON of a 200 response, asked in the service's own name. */
  readonly ask: (upstream: Upstream, path: string, sharer: Sharer) => Promise<unknown>;
  /** Likewise, its text. */
  readonly askText: (upstream: Upstream, path: string, sharer: Sharer) => Promise<string>;
  /** What stands in the NVR's configuration in the place of its own accounts (SPEC 4.3). */
  readonly ownConfig: () => OwnConfig | Promise<OwnConfig>;
  /** Called with a configuration that was read through the gate: the NVR's pages read it after each change of cameras. */
  readonly onConfigRead: (config: Uint8Array) => void;
}

export type Settled =
  | { readonly kind: 'sent'; readonly body?: Buffer; readonly contentType?: string; readonly narrowing?: NarrowingPlan }
  /** The request is not sent: the response is this JSON. */
  | { readonly kind: 'answered'; readonly json: string }
  | { readonly kind: 'refused'; readonly reason: RefusalReason; readonly field?: string };

/** How a response is narrowed, whoever it is for. */
type Narrowing = Omit<NarrowingPlan, 'hold'>;
type Served = Exclude<Destination, { kind: 'none' }>;

/** Bytes that all responses may hold. */
const MOST_HELD_BYTES = 128 * 1024 * 1024;
/** One for the process, whatever is reloaded: the memory is shared as well. */
const HELD = createBufferBudget(MOST_HELD_BYTES);
/** One for the process: it may start a thread. */
const NARROWER = createNarrower();

const refused = (reason: RefusalReason): Settled => ({ kind: 'refused', reason });

export async function fulfilObligations(
  request: IncomingMessage,
  admission: Admitted,
  destination: Served,
  deps: ObligationDeps,
): Promise<Settled> {
  const { obligations } = admission;
  if (!obligations) return { kind: 'sent' };
  if (obligations.messages) return refused('not-narrowable');
  if (obligations.ownData && destination.kind !== 'events-backend')
    return composedList(admission, obligations, destination, deps);
  if (obligations.fanout)
    return joinedList(admission, { ...obligations, fanout: obligations.fanout }, destination, deps);
  if (obligations.signalling) {
    const offer = await judgedOffer(request, obligations.signalling, deps.bodySeconds);
    return offer.ok ? { kind: 'sent', ...offer.value } : refused(offer.error);
  }
  // Rejected when the client left in the middle of its body: it gets no response.
  const body = await judgedBody(request, admission, obligations, deps).catch(() => undefined);
  if (!body) return refused('body-unreadable');
  if (!body.ok) return { ...body.error, kind: 'refused' };
  try {
    const narrowing = await narrowingOf(admission.route, obligations, destination, deps);
    const held = narrowing && { narrowing: { ...narrowing, hold: HELD.hold(deps.sharer) } };
    return { kind: 'sent', ...(body.value && { body: body.value }), ...held };
  } catch (fault) {
    return refused(askFailure(fault));
  }
}

const composeKept = createComposedCache();

/** A list without a camera parameter, made of what the NVR tells by camera. */
async function composedList(
  { target, route }: Admitted,
  { composed, view }: Obligations,
  { upstream }: Served,
  { askText, sharer }: ObligationDeps,
): Promise<Settled> {
  const rule = composed && adapterOf(route).lists[composed];
  if (!composed || !rule) return refused('not-narrowable');
  const limit = rule.limit?.of(limitIn(target));
  const most = limit === undefined ? undefined : rule.limit?.composed(limit);
  const list = { name: composed, keptFor: rule.keptFor, upstream: JSON.stringify(upstream), limit: most };
  const nvr = adapterOf(route);
  const compose = (plain: PlainView) =>
    NARROWER.ask(
      { kind: 'compose', list: composed, view: plain, limit: most },
      (path) => askText(upstream, path, sharer),
      nvr,
    );
  try {
    const text = await composeKept(list, plainView(view), compose);
    if (limit === undefined || limit === most) return { kind: 'answered', json: text };
    return answered(await NARROWER.narrow({ kind: 'cut', list: composed, text, limit }, nvr));
  } catch (fault) {
    return refused(askFailure(fault));
  }
}

const answered = (made: NarrowedBytes): Settled =>
  made.kind === 'narrowed'
    ? { kind: 'answered', json: Buffer.from(made.body.buffer).toString() }
    : refused('nvr-unexpected-form');

async function joinedList(
  { target, route }: Admitted,
  obligations: Obligations & Required<Pick<Obligations, 'fanout'>>,
  { upstream }: Served,
  { askText, sharer }: ObligationDeps,
): Promise<Settled> {
  const { responseForm: form, view, reading } = obligations;
  const hold = HELD.hold(sharer);
  try {
    const lists = await listsByCamera(target, obligations.fanout, (path) => askText(upstream, path, sharer), hold);
    if (!lists) return refused('answers-too-large');
    const limit = limitIn(target);
    const task = { kind: 'join', lists, form, view: plainView(view), limit, reading } as const;
    return answered(await NARROWER.narrow(task, adapterOf(route)));
  } catch (fault) {
    return refused(askFailure(fault));
  } finally {
    hold.release();
  }
}

const limitIn = ({ query }: RequestTarget): number | undefined => numberOf(queryValues(query, 'limit').at(-1));

/** Bytes of the largest configuration that `onConfigRead` gets: it is parsed on the event loop when it has changed; some hundred kB are usual. */
const LARGEST_LEARNED = 1024 * 1024;

async function narrowingOf(
  route: RouteMatch,
  obligations: Obligations,
  destination: Served,
  deps: ObligationDeps,
): Promise<Narrowing | undefined> {
  const {
    responseForm: form,
    view,
    isRewritten,
    empty,
    playlistAt,
    refusedHeader,
    startedFor,
    reading,
    addresses,
  } = obligations;
  if (playlistAt !== undefined) return playlistNarrowing(playlistAt);
  if (refusedHeader !== undefined) return untouched(view, { refusedHeader: refusedHeader.name });
  if (startedFor !== undefined) return started(view, startedFor);
  const nvr = adapterOf(route);
  const write = addresses && {
    addresses: (body: Uint8Array<ArrayBuffer>, place: PublicPlace) =>
      NARROWER.narrow({ kind: 'addresses', body, members: addresses, place }, nvr),
  };
  if (write && !form) return untouched(view, write);
  // The events backend always honours the query. An NVR may be too old to know the parameter.
  if (!form || (isRewritten && destination.kind === 'events-backend')) return undefined;
  const { since: _, ...whole } = plainView(view);
  const { onConfigRead } = deps;
  const own = isCommonForm(form) ? undefined : form;
  const rule = own && nvr.answers[own];
  const reader = {
    // The events backend has left out what is older by itself; its sums tell no time.
    view: destination.kind === 'events-backend' ? whole : plainView(view),
    ...(reading && { reading }),
    ...(own && rule?.knows && { known: await knownFor(own, rule.knows, view, nvr, destination, deps) }),
  };
  return {
    body: (body) => {
      // An NVR that is told the role may leave cameras out of the configuration for a restricted role.
      const isLearned = rule?.hasLayout && view.clearance !== 'restricted' && body.byteLength <= LARGEST_LEARNED;
      if (isLearned) onConfigRead(body);
      return NARROWER.narrow({ kind: 'narrow', form, body, ...reader }, nvr);
    },
    reader: errorReaderOf(view),
    hidesUnknown: view.clearance === 'restricted' && (form === 'one' || obligations.owners !== undefined),
    ...write,
    ...(empty === undefined ? {} : { empty }),
  };
}

function knownFor(
  form: AdapterForm,
  knows: NonNullable<AnswerRule['knows']>,
  view: CameraView,
  nvr: NvrAdapter,
  { upstream }: Served,
  { ownConfig, askText, sharer }: ObligationDeps,
): unknown {
  if (knows === 'own-config') return ownConfig();
  const task = { kind: 'know', form, view: plainView(view) } as const;
  return NARROWER.ask(task, (path) => askText(upstream, path, sharer), nvr);
}

/** The response as it is, or none of it. */
const untouched = (view: CameraView, how: Partial<Narrowing>): Narrowing => ({
  body: (body) => Promise.resolve({ kind: 'narrowed', body }),
  reader: errorReaderOf(view),
  hidesUnknown: false,
  ...how,
});

/** Bytes. It holds an id, or a playlist of one stream. */
const LARGEST_START = 64 * 1024;

/** The answer to a start is passed on, and the cameras of what was started are kept. */
const started = (view: CameraView, thing: StartedThing): Narrowing => {
  const body = (bytes: Uint8Array<ArrayBuffer>) => {
    if (bytes.byteLength <= LARGEST_START) noteStarted(thing, Buffer.from(bytes).toString());
    return Promise.resolve({ kind: 'narrowed' as const, body: bytes });
  };
  return untouched(view, { body });
};

/** A day in segments of ten seconds has less than one. */
const LARGEST_PLAYLIST = 4 * 1024 * 1024;

const playlistNarrowing = (directory: string): Narrowing => ({
  body: async (body) =>
    body.byteLength > LARGEST_PLAYLIST
      ? { kind: 'unreadable' }
      : NARROWER.narrow({ kind: 'playlist', body, directory }, NO_ADAPTER),
  reader: { clearance: 'restricted', namesForeign: () => true },
  hidesUnknown: false,
});
