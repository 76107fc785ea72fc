/** A route that Postern serves itself, declared once beside its handler. Row, dispatch, body check, OpenAPI and the types of the pages follow. */
import type { Next, ParameterizedContext } from 'koa';
import type { z } from 'zod';
import type { Caller, RouteState } from '../domain/caller.ts';
import type { Result } from '../domain/result.ts';
import type { PolicyRow } from './policy-row.ts';

/** `params`: of the path, decoded. */
export type RouteContext = ParameterizedContext<RouteState> & { readonly params: Readonly<Record<string, string>> };

/** `next` goes on to the proxy, which forwards nothing of a row that is not `forwarded`. */
export type RouteHandler<Deps> = (ctx: RouteContext, deps: Deps, next: Next) => unknown;

/** Who may, and what else its row says; the keys are explained in docs/policies.md. */
export interface Need
  extends Pick<
    PolicyRow,
    | 'access'
    | 'empty'
    | 'verb'
    | 'writes'
    | 'secret'
    | 'enrolment'
    | 'view_as'
    | 'few'
    | 'right'
    | 'stands_for'
    | 'forwarded'
    | 'compressed'
    | 'note'
  > {
  /** Terms as they are written. */
  readonly cameras?: readonly string[];
  readonly narrow?: string;
  readonly times?: readonly string[];
}

export interface Operation {
  readonly summary: string;
  /** Parameters of the query, with what each means. */
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: z.ZodType;
  /** The answer that means yes; undefined schema: no body, or a page. */
  readonly yes: readonly [status: number, schema?: z.ZodType];
  /** The answers that mean no, beside 400 and 503, and 401, 403 and 429 where a login is needed. */
  readonly no?: readonly number[];
  /** What else an answer may be. */
  readonly type?: 'text/html' | 'application/octet-stream' | 'text/event-stream';
}

/** A call of the same route in this process, by a command. */
export interface CommandCall {
  readonly caller: Caller;
  /** Where the audit line says that it comes from. */
  readonly from: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: URLSearchParams;
  readonly body?: unknown;
  /** Whose that is which it makes. */
  readonly owner?: string | undefined;
}
/** The answer, or the refusal with its sentence. */
export type RouteCall<Deps> = (
  call: CommandCall,
  deps: Deps,
) => Promise<Result<object, { readonly status: number; readonly message: string }>>;

/** A route without a summary is no operation: it is refused by name, or a WebSocket. One without a handler is forwarded, or 404. */
export type OwnRoute<Deps> = Need & {
  /** Methods and path, as in a route table: `GET,POST /logout`. */
  readonly route: string;
  readonly handler?: RouteHandler<Deps>;
  readonly call?: RouteCall<Deps>;
} & (Operation | { readonly summary?: undefined });

/** A route whose handler has what it needs. */
export type BoundRoute = OwnRoute<void>;

export const bound = <Deps>(routes: readonly OwnRoute<Deps>[], deps: Deps): readonly BoundRoute[] =>
  routes.map(({ handler, call, ...route }) => ({
    ...route,
    ...(handler && { handler: (ctx, _, next) => handler(ctx, deps, next) }),
    ...(call && { call: (told) => call(told, deps) }),
  }));

/** Asks one of these routes in this process. */
export type RouteAsker = (route: string, given: Omit<CommandCall, 'caller' | 'from'>) => ReturnType<RouteCall<void>>;

export const askerFor =
  (routes: readonly BoundRoute[], by: Pick<CommandCall, 'caller' | 'from'>): RouteAsker =>
  (route, given) => {
    const call = routes.find((one) => one.route === route)?.call;
    if (!call) throw new Error(`there is no route ${route}`);
    return call({ ...given, ...by });
  };

/** `GET,POST /logout` as `GET /logout` and `POST /logout`. */
export function listOperations(route: string): readonly { readonly method: string; readonly path: string }[] {
  const [methods = '', path = ''] = route.split(' ', 2);
  return methods.split(',').map((method) => ({ method, path }));
}
