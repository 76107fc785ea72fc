/** What goes to an upstream: how many requests at a time, over which TLS (SPEC 1, `nvr.ca`, `nvr.verify`), and the questions of the service itself: readiness, cameras, owners, version. */
import {
  type AgentOptions,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { type Upstream, upstreamOrigin, wakeUp } from '../domain/addresses.ts';
import { boundsOf, createShares, type Hold, type Sharer } from '../domain/async.ts';

export type UpstreamSlots = ReturnType<typeof createUpstreamSlots>;

/** How many connections an upstream is given at a time, and how many of them one caller has. Requests beyond that wait in turn. */
export interface SlotRules {
  /** Requests under way at one upstream. */
  readonly most: number;
  readonly mostWaiting: number;
  /** The part of both that one caller may have. */
  readonly ofCaller: number;
  /** So many slots are left to callers that have less than `FEW`. */
  readonly kept: number;
  readonly patienceMs: number;
}

/** Web servers in front of recorders mostly take 1,024 connections. */
export const UPSTREAM_SLOTS: SlotRules = {
  most: 1024,
  mostWaiting: 1024,
  ofCaller: 1 / 4,
  kept: 64,
  patienceMs: 30_000,
};
const FEW = 8;

/** `waiting`: the requests that wait, in the order in which they came. Each begins if there is a slot for it. */
const newSlots = () => ({ taken: createShares(), places: createShares(), waiting: new Set<() => boolean>() });
type Slots = ReturnType<typeof newSlots>;

const ALL = '';

export function createUpstreamSlots(rules: SlotRules = UPSTREAM_SLOTS) {
  const { most, mostWaiting, ofCaller, kept, patienceMs } = rules;
  const slotsByUpstream = keptByUpstream(newSlots);
  const slotFor = ({ taken }: Slots, sharer: Sharer): Hold => {
    const hasFew = sharer.length > 0 && sharer.every(([key]) => taken.taken(key) < FEW);
    return taken.hold([[ALL, hasFew ? most : most - kept], ...boundsOf(sharer, most * ofCaller)]);
  };
  /** The first that may begins: one whose caller has its share is passed over, and keeps its turn. */
  const letOneIn = ({ waiting }: Slots): void => {
    for (const begin of waiting) if (begin()) return;
  };
  const sumOf = (count: (slots: Slots) => number): number =>
    slotsByUpstream.all().reduce((sum, slots) => sum + count(slots), 0);

  return {
    /** Slots of all upstreams that are taken, and requests that wait for one. */
    inUse: () => ({ taken: sumOf(({ taken }) => taken.taken(ALL)), waiting: sumOf(({ waiting }) => waiting.size) }),
    /** `begin` is called at once, or when a slot is free; `refuse` when none is in time. Returns what to call at the end, once. */
    take(upstream: Upstream, sharer: Sharer, begin: () => void, refuse: () => void): () => void {
      const slots = slotsByUpstream.get(upstream);
      let slot: Hold | undefined;
      let stopWaiting = (): void => {};
      const enter = (): boolean => {
        const free = slotFor(slots, sharer);
        if (!free.take()) return false;
        slot = free;
        stopWaiting();
        begin();
        return true;
      };
      const wait = (): void => {
        const place = slots.places.hold([[ALL, mostWaiting], ...boundsOf(sharer, mostWaiting * ofCaller)]);
        if (!place.take()) {
          refuse();
          return;
        }
        slots.waiting.add(enter);
        const timer = setTimeout(() => {
          stopWaiting();
          refuse();
        }, patienceMs).unref();
        stopWaiting = () => {
          slots.waiting.delete(enter);
          clearTimeout(timer);
          place.release();
        };
      };
      if (!enter()) wait();
      return () => {
        stopWaiting();
        slot?.release();
        if (slot) letOneIn(slots);
        slot = undefined;
      };
    },
  };
}

/** One for each server that is asked, made at the first request; found by the `Upstream` object without building its origin. */
export function keptByUpstream<Kept>(make: (upstream: Upstream) => Kept) {
  const byOrigin = new Map<string, Kept>();
  const known = new WeakMap<Upstream, Kept>();
  return {
    all: (): Kept[] => [...byOrigin.values()],
    get(upstream: Upstream): Kept {
      const before = known.get(upstream);
      if (before) return before;
      const origin = upstreamOrigin(upstream);
      const kept = byOrigin.get(origin) ?? make(upstream);
      byOrigin.set(origin, kept);
      known.set(upstream, kept);
      return kept;
    },
  };
}

export interface UpstreamTls {
  /** PEM of the certificate authority; undefined for the authorities that Node ships. */
  readonly ca: string | undefined;
  /** Whether certificates are checked at all. */
  readonly verify: boolean;
}

/**
 * Options of Node's TLS sockets. The certificate is checked against the host of `nvr.url` or `nvr.routes`. Without a server
 * name HTTP clients take it from the Host header, and the client chooses that one. An address has no server name (RFC 6066
 * section 3): Node then checks the certificate against the address itself.
 */
export const tlsOptionsFor = (upstream: Upstream, { ca, verify }: UpstreamTls) => ({
  servername: upstream.kind === 'unix' || isIP(upstream.host) !== 0 ? '' : upstream.host,
  rejectUnauthorized: verify,
  ...(ca === undefined ? {} : { ca }),
});

/** Node's code for what went wrong with an upstream. What is no HTTP at all has none of its own. */
export const codeOf = (error: Error): string => ('code' in error && typeof error.code === 'string' ? error.code : '');

/** The caller, or all together, have so many questions under way and waiting that this one was not sent. */
export class TooManyQuestions extends Error {}

export interface UpstreamQuestion {
  readonly upstream: Upstream;
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  /** Seconds for the whole response, from when the question is sent. */
  readonly timeout: number;
  readonly tls: UpstreamTls;
  /** Whose share of the questions it takes. */
  readonly sharer: Sharer;
}

/** Questions that the service needs itself, such as whether the NVR is there. */
export const OF_THE_SERVICE: Sharer = [['service', 1]];

/** Questions under way at one NVR: each request of a client may need some before it is judged. Others wait. */
const MOST_QUESTIONS: SlotRules = { most: 64, mostWaiting: 4096, ofCaller: 1 / 4, kept: 8, patienceMs: 30_000 };
/** Milliseconds that an unused connection is kept. */
const KEPT_MS = 5_000;
const KEPT: AgentOptions = { keepAlive: true, timeout: KEPT_MS, maxSockets: MOST_QUESTIONS.most, scheduling: 'fifo' };
const agents = { plain: new HttpAgent(KEPT), tls: new HttpsAgent(KEPT) };

/** One for the process, whatever is reloaded: the NVR is the same. */
const SLOTS = createUpstreamSlots(MOST_QUESTIONS);

export const questionsUnderWay = (): number => SLOTS.inUse().taken;

/** An NVR's configuration is some hundred kilobytes. */
const LARGEST_RESPONSE = 32 * 1024 * 1024;

/** The parsed JSON of a 200, undefined of a 404. Rejects with the cause of any other outcome. */
export const askJson = (question: UpstreamQuestion): Promise<unknown> =>
  inTurn(question, async (response) => {
    if (response.statusCode !== 404) return JSON.parse(await textOf200(response, question));
    response.resume();
    return undefined;
  });

/** The text of a 200. Rejects with the cause of any other outcome. */
export const askText = (question: UpstreamQuestion): Promise<string> =>
  inTurn(question, (response) => textOf200(response, question));

/** Resolves when there was any response but a failure of the server: it proves that the upstream works. */
export const ask = (question: UpstreamQuestion): Promise<void> =>
  inTurn(question, async (response) => {
    response.destroy();
    if ((response.statusCode ?? 0) >= 500) throw statusFault(question.path, response.statusCode);
  });

/** The question has a slot until its response is read. */
async function inTurn<Read>(
  question: UpstreamQuestion,
  read: (response: IncomingMessage) => Promise<Read>,
): Promise<Read> {
  const leave = await slotFor(question);
  try {
    return await read(await send(question));
  } finally {
    leave();
  }
}

const slotFor = ({ upstream, sharer }: UpstreamQuestion): Promise<() => void> =>
  new Promise((resolve, reject) => {
    const leave = SLOTS.take(
      upstream,
      sharer,
      () => resolve(() => leave()),
      () => reject(new TooManyQuestions('too many questions to the NVR are under way')),
    );
  });

async function textOf200(response: IncomingMessage, { path }: UpstreamQuestion): Promise<string> {
  if (response.statusCode === 200) return textOf(response);
  response.resume();
  throw statusFault(path, response.statusCode);
}

/** `status` tells an NVR that failed from one that cannot be reached. */
const statusFault = (path: string, status: number | undefined): Error =>
  Object.assign(new Error(`${path} was answered with status ${status}`), { status });

/** Resolves with the head of any response. */
async function send({ upstream, path, headers, timeout, tls }: UpstreamQuestion): Promise<IncomingMessage> {
  await wakeUp(upstream);
  const place = upstream.kind === 'tcp' ? { host: upstream.host, port: upstream.port } : { socketPath: upstream.path };
  const isTls = upstream.kind === 'tcp' && upstream.protocol === 'https:';
  const signal = AbortSignal.timeout(timeout * 1000);
  const options = { ...place, path, headers, signal };
  return new Promise((resolve, reject) => {
    const request = isTls
      ? httpsRequest({ ...options, ...tlsOptionsFor(upstream, tls), agent: agents.tls })
      : httpRequest({ ...options, agent: agents.plain });
    const onFault = (fault: Error): void => reject(signal.aborted ? noAnswer(timeout, fault) : fault);
    request.once('response', resolve).once('error', onFault).end();
  });
}

/** Node says that the operation was aborted. */
const noAnswer = (seconds: number, cause: Error): Error =>
  Object.assign(new Error(`no answer within ${seconds} s`, { cause }), { code: codeOf(cause) });

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    bytes += chunk.length;
    if (bytes > LARGEST_RESPONSE) throw new Error(`the response is larger than ${LARGEST_RESPONSE} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
