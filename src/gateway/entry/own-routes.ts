/** The service's own routes, which Koa answers: a request whose path begins like none of theirs never gets there. */
import type { IncomingMessage } from 'node:http';
import Koa from 'koa';
import { singleHeader } from '../../domain/request.ts';
import type { CorridorState } from '../../domain/verdict.ts';
import { reasonOfFault, refusalAnswer } from '../response/refuse.ts';
import { send } from '../response/send.ts';
import type { Answering, GateDeps, OwnRouter } from './gate-deps.ts';
import { proxyRequest } from './proxy-request.ts';
import type { AdmittedRequest } from './request-context.ts';

type Context = Koa.ParameterizedContext<CorridorState>;

export interface OwnRoutes {
  /** Those that begin like the path; undefined for none. */
  asked(segments: readonly string[]): readonly Answering[] | undefined;
  /** They are asked in their order; what none of them answers is passed on. */
  answer(guest: AdmittedRequest, asked: readonly Answering[]): Promise<void>;
}

/** Matching a path against every route costs more than judging the request, and most requests are the NVR's. */
export function createOwnRoutes(parts: GateDeps): OwnRoutes {
  const byBeginning = routesByBeginning(parts.ownRoutes);
  const arriving = new WeakMap<
    IncomingMessage,
    { readonly guest: AdmittedRequest; readonly asked: readonly Answering[] }
  >();
  const app = new Koa<CorridorState>();
  app.use(async (ctx) => {
    const { guest, asked } = arriving.get(ctx.req) ?? {};
    if (guest && asked) await answerAs(guest, asked, ctx, parts);
  });
  app.on('error', () => {}); // a client that left in mid-answer; our own faults are caught below
  const handle = app.callback();
  return {
    asked: (segments) => byBeginning.get(beginningOf(segments)) ?? byBeginning.get(segments[0] ?? ''),
    async answer(guest, asked) {
      arriving.set(guest.request, { guest, asked });
      await handle(guest.request, guest.response);
    },
  };
}

async function answerAs(
  guest: AdmittedRequest,
  asked: readonly Answering[],
  ctx: Context,
  parts: GateDeps,
): Promise<void> {
  const { response, requestId, facts, watch } = guest;
  try {
    response.setHeader('X-Request-Id', requestId);
    Object.assign(ctx.state, stateOf(guest));
    const leave: Koa.Next = () => {
      ctx.respond = false;
      return proxyRequest(guest, parts, ctx.state.sentInstead);
    };
    await asked.reduceRight<Koa.Next>((next, routes) => () => routes(ctx as never, next), leave)();
    if (ctx.respond !== false) await renewSession(guest, parts);
  } catch (fault) {
    ctx.respond = false;
    watch.onFault(fault);
    send(guest, refusalAnswer(reasonOfFault(fault), facts, requestId, parts.refusals()), requestId);
  }
}

const stateOf = ({ facts, admission: { caller, client }, requestId }: AdmittedRequest): CorridorState => ({
  requestId,
  caller,
  clientAddress: client.address,
  clientEncrypted: client.encrypted,
  ...(facts.basePath === undefined ? {} : { basePath: facts.basePath }),
  clientAgent: singleHeader(facts, 'user-agent'),
});

/** A route that set a cookie itself (login, logout) has the last word. */
async function renewSession({ admission, response }: AdmittedRequest, parts: GateDeps): Promise<void> {
  const { caller, client } = admission;
  if (!caller || response.headersSent || response.hasHeader('set-cookie')) return;
  const cookie = await parts.renewal(caller, client);
  if (cookie !== undefined) response.appendHeader('set-cookie', cookie);
}

function routesByBeginning(routers: readonly OwnRouter[]): ReadonlyMap<string, readonly Answering[]> {
  const byBeginning = new Map<string, Answering[]>();
  for (const router of routers) {
    const routes = router.routes();
    for (const beginning of new Set(router.stack.map(({ path }) => beginningOf(fixedSegments(String(path))))))
      byBeginning.set(beginning, [...(byBeginning.get(beginning) ?? []), routes]);
  }
  return byBeginning;
}

const beginningOf = ([first = '', second]: readonly string[]): string =>
  second === undefined ? first : `${first}/${second}`;

/** Those before the first that may be anything. */
function fixedSegments(path: string): readonly string[] {
  const segments = path.slice(1).split('/');
  const open = segments.findIndex((segment) => /[:{*]/.test(segment));
  return open < 0 ? segments : segments.slice(0, open);
}
