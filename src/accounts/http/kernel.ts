/**
 * The kernel of own routes. A route declares who may call it, the proof that it asks for, the shape of its body and the act
 * of its audit line; its `run` returns the answer or throws a `Refused`. The kernel does the rest, in this order: who,
 * proof, `before`, body, the rights of now, `run`, audit line, answer. A command of `postern` calls the same `run`.
 */
import type { Next } from 'koa';
import type { z } from 'zod';
import type { Services } from '../../app/services.ts';
import { type Caller, isAdministrator, lostRights } from '../../domain/caller.ts';
import { mayManageAccounts } from '../../domain/credentials.ts';
import { BODY_LIMITS } from '../../domain/read-body.ts';
import { REFUSALS, type RefusalFacts, type RefusalReason, refusalBody } from '../../domain/refusal.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { Need, Operation, OwnRoute, RouteContext } from '../../routes/own-route.ts';
import { type AuditEntry, agentOf, credentialOf, shortText } from '../audit.ts';
import { type FieldFault, fieldsIn, unknownFields } from './body-fields.ts';
import { hasBody, readJson } from './read-json.ts';
import {
  BUSY,
  BUSY_RETRY_SECONDS,
  fieldsMessage,
  type LimitedAttempt,
  limitedBody,
  refuseBody,
  refuseFor,
  respond,
} from './responses.ts';

/** What guards an own route. */
export type AccountResponseDeps = Pick<Services, 'audit' | 'bodySeconds' | 'recheck' | 'asksProof'>;

/**
 * `credentials`: what lets a person in, and sessions of others. `elevation`: what makes, demotes, ends or deletes an admin,
 * and another's password. `users`, `roles`: every other change of them.
 */
export type GuardedAct = 'credentials' | 'settings' | 'elevation' | 'users' | 'roles';

/** They are asked with `auth.reauthenticate: strict` alone. */
export const ONLY_STRICT: ReadonlySet<GuardedAct> = new Set(['users', 'roles']);

/** The console's pages for what the NVR's own pages send too: they cannot ask for a proof, and show the message. */
const PAGES: Partial<Record<GuardedAct, string>> = {
  elevation: '/postern/settings/users',
  users: '/postern/settings/users',
  roles: '/postern/settings/roles',
};

/** What was done, and to which user, role, token or session. */
export type AuditedAct = Omit<AuditEntry, 'who' | 'from' | 'credential' | 'agent' | 'verdict' | 'reason' | 'requestId'>;

interface RefusalMore {
  /** The reason of the audit line; a refusal without one leaves no line. */
  readonly recorded?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Further fields of the answer. */
  readonly fields?: object;
}

/** Thrown by `run` and `before`: the kernel answers it, and records it where it has a reason. */
export class Refused extends Error {
  readonly status: number;
  readonly body: object;
  readonly recorded: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  constructor(status: number, message: string, { recorded, headers = {}, fields = {} }: RefusalMore = {}) {
    super(message);
    this.status = status;
    this.body = { success: false, message, ...fields };
    this.recorded = recorded;
    this.headers = headers;
  }
}

/** The refusal of the table `REFUSALS`. */
export function refusedFor(reason: RefusalReason, facts: RefusalFacts = {}, more: RefusalMore = {}): Refused {
  const { status, message } = REFUSALS[reason];
  return new Refused(status, message, { ...more, fields: { ...refusalBody(reason, facts), ...more.fields } });
}

/** 422, with what is wrong with each field. */
export const refusedFields = (faults: readonly FieldFault[]): Refused =>
  new Refused(422, fieldsMessage(faults), { fields: { detail: faults } });

export const refusedWhileBusy = (recorded?: string): Refused =>
  new Refused(503, BUSY, { ...(recorded && { recorded }), headers: { 'Retry-After': String(BUSY_RETRY_SECONDS) } });

export function refusedWhileLimited(attempt: LimitedAttempt): Refused {
  const { message, error } = limitedBody(attempt);
  const headers = { 'Retry-After': String(attempt.retryAfterSeconds) };
  return new Refused(429, message, { recorded: 'rate-limited', headers, fields: { error } });
}

/** What `run` gives when it has set the response itself. */
export const ANSWERED: object = Object.freeze({});

/** The value, or its refusal. */
export function orRefused<Value, Fault extends { readonly reason: string; readonly message: string }>(
  outcome: Result<Value, Fault>,
  statuses: Readonly<Record<Fault['reason'], number>>,
): Value {
  if (outcome.ok) return outcome.value;
  const { reason, message } = outcome.error;
  throw new Refused(statuses[reason as Fault['reason']], message, { recorded: reason });
}

/** What refuses by a `Refused`, as a value: for commands. */
export const asResult = <Value>(
  doing: Promise<Value>,
): Promise<Result<Value, { readonly reason: string; readonly message: string }>> =>
  doing.then(ok, (fault: unknown) => {
    if (!(fault instanceof Refused)) throw fault;
    return err({ reason: fault.recorded ?? 'refused', message: fault.message });
  });

/** What `run` is given. */
export interface Call<Body = unknown> {
  readonly caller: Caller;
  readonly body: Body;
  /** The client's address, or where a command says that it comes from. */
  readonly from: string;
  /** Parameters of the path, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Whose that is which a command makes; a request makes what is the caller's. */
  readonly owner?: string | undefined;
  /** Adds to the audit line of the route. */
  readonly note: (facts: Partial<AuditedAct>) => void;
  /** Writes the audit line of the route now: the change is made, and what `run` still does may fail. */
  readonly done: () => void;
  /** Writes a line of its own; `reason`: why it was refused. */
  readonly record: (act: AuditedAct, reason?: string) => void;
  /** Refuses unless the caller has shown lately to be the person. */
  readonly prove: (act: GuardedAct) => void;
  /** The request; absent for a command. */
  readonly ctx?: RouteContext;
  /** Goes on to the proxy. */
  readonly next?: Next;
}

/**
 * How the body is read. `fields`: by its shape, other fields are passed over. `strict`: by its shape, other fields are
 * refused. `names`: other fields are refused, the values are judged by `run`. `maybe`: as `fields`, and there may be no body: `undefined`.
 */
type Reading = 'fields' | 'strict' | 'names' | 'maybe';
type BodyOf<Shape extends z.ZodType, Read extends Reading> = Read extends 'names'
  ? Readonly<Record<string, unknown>>
  : z.output<Shape> | (Read extends 'maybe' ? undefined : never);

type Declared<Deps, Shape extends z.ZodType, Read extends Reading> = Need &
  Operation & {
    /** Methods and path, as in a route table. */
    readonly route: string;
    /** `admin`: may manage accounts, or only read. `person`: may change the own account. Default: every caller. */
    readonly who?: 'admin' | 'person';
    readonly proof?: GuardedAct;
    readonly act?: AuditedAct['what'];
    readonly body?: Shape;
    readonly reads?: Read;
    /** Bytes of the body at most. */
    readonly bytes?: number;
    /** What can be refused before the body is read. */
    readonly before?: (call: Call, deps: Deps) => unknown;
    readonly run: (call: Call<BodyOf<Shape, Read>>, deps: Deps) => unknown;
  };

/** Declares routes of a group; curried, so that the shape of each body is inferred. */
export const declaring =
  <Deps extends AccountResponseDeps>() =>
  <Shape extends z.ZodType = z.ZodType<undefined>, Read extends Reading = 'fields'>(
    declared: Declared<Deps, Shape, Read>,
  ): OwnRoute<Deps> => {
    const { who, proof, act, reads, bytes, before, run, ...route } = declared;
    /** `read`: the JSON of the body, after the rights were read again; undefined when the response is set already. */
    const perform = async (
      call: Omit<Call<undefined>, 'body' | 'caller' | 'note' | 'done' | 'prove'>,
      caller: Caller | undefined,
      deps: Deps,
      read: () => Promise<{ readonly json: unknown } | undefined>,
    ): Promise<{ readonly answer: object } | undefined> => {
      let noted: Partial<AuditedAct> = {};
      let isDone = false;
      const guarded = guard(caller, who, call.ctx !== undefined && isReading(call.ctx));
      const whole: Call<undefined> = {
        ...call,
        caller: guarded,
        body: undefined,
        note: (facts) => {
          noted = { ...noted, ...facts };
        },
        done: () => {
          if (act && !isDone) call.record({ what: act, ...noted });
          isDone = true;
        },
        prove: (asked) => {
          if (deps.asksProof(guarded, asked))
            throw refusedFor('reauthentication-required', call.ctx ? proofPage(call.ctx, asked) : {});
        },
      };
      try {
        if (proof) whole.prove(proof);
        await before?.(whole, deps);
        const json = route.body && (await read());
        if (route.body && !json) return undefined;
        const body = json && shaped(route.body as Shape, reads, json.json);
        const answer = await run({ ...whole, body: body as BodyOf<Shape, Read> }, deps);
        whole.done();
        return { answer: (answer as object | undefined) ?? { success: true } };
      } catch (fault) {
        if (act && !isDone && fault instanceof Refused && fault.recorded)
          call.record({ what: act, ...noted }, fault.recorded);
        throw fault;
      }
    };
    return {
      ...route,
      handler: async (ctx, deps, next) => {
        const { params, querystring } = ctx;
        const call = {
          ctx,
          next,
          from: ctx.state.clientAddress,
          params,
          query: new URLSearchParams(querystring),
          record: (done: AuditedAct, reason?: string) => record(ctx, deps, done, reason),
        };
        try {
          const done = await perform(call, ctx.state.caller, deps, () =>
            jsonOf(ctx, deps, bytes ?? BODY_LIMITS.credentials, reads === 'maybe'),
          );
          if (done && done.answer !== ANSWERED) respond(ctx, route.yes[0], done.answer);
        } catch (fault) {
          if (!(fault instanceof Refused)) throw fault;
          ctx.set({ ...fault.headers });
          respond(ctx, fault.status, fault.body);
        }
      },
      call: async ({ caller, from, params = {}, query = new URLSearchParams(), body, owner }, deps) => {
        const by = { who: caller.name, from };
        const write = (done: AuditedAct, reason?: string): void =>
          deps.audit({
            ...done,
            ...by,
            verdict: reason === undefined ? 'allowed' : 'refused',
            ...(reason && { reason }),
          });
        try {
          const done = await perform({ from, params, query, owner, record: write }, caller, deps, async () => ({
            json: body,
          }));
          return ok(done?.answer ?? {});
        } catch (fault) {
          if (fault instanceof Refused) return err({ status: fault.status, message: fault.message });
          throw fault;
        }
      },
    };
  };

/** The route table requires the role too; a mistake there must not open the accounts. */
function guard(caller: Caller | undefined, who: 'admin' | 'person' | undefined, isRead: boolean): Caller {
  if (!caller) throw refusedFor('no-credentials');
  if (who === 'admin' && !isAdministrator(caller)) throw refusedFor('role-too-low');
  const mayOnlyRead = who === 'admin' && isRead;
  if (who !== undefined && !mayOnlyRead && !mayManageAccounts(caller)) throw refusedFor('person-needed');
  return caller;
}

function shaped(shape: z.ZodType, reads: Reading = 'fields', json: unknown): unknown {
  if (reads === 'maybe' && json === undefined) return undefined;
  const unknown = reads === 'fields' || reads === 'maybe' ? [] : unknownFields(shape as z.ZodObject, json);
  if (unknown.length > 0) throw refusedFields(unknown);
  if (reads === 'names') return Object(json);
  const fields = fieldsIn(shape, json);
  if (!fields.ok) throw refusedFields(fields.error);
  return fields.value;
}

const isReading = ({ method }: RouteContext): boolean => method === 'GET' || method === 'HEAD';

/** The page of the console that asks for the proof, where a page of the NVR may have sent the request. */
function proofPage({ state: { basePath = '' } }: RouteContext, act: GuardedAct): { readonly page?: string } {
  const page = PAGES[act];
  return page === undefined ? {} : { page: `${basePath}${page}` };
}

/** The body as JSON; undefined when the response is set already. */
async function jsonOf(
  ctx: RouteContext,
  deps: AccountResponseDeps,
  bytes: number,
  mayBeAbsent: boolean,
): Promise<{ readonly json: unknown } | undefined> {
  const body =
    mayBeAbsent && !hasBody(ctx.req.headers)
      ? ok(undefined)
      : await readJson(ctx.req, { bytes, seconds: deps.bodySeconds() });
  if (!body.ok) return void refuseBody(ctx, body.error);
  return (await mayStill(ctx, deps)) ? { json: body.value } : undefined;
}

/**
 * Checks the caller's rights again once the body has arrived: a request whose body is held back while the rights are
 * taken away changes nothing. False when the response is set already.
 */
export async function mayStill(ctx: RouteContext, { recheck }: AccountResponseDeps): Promise<boolean> {
  const { caller } = ctx.state;
  const reason = caller ? lostRights(await recheck(caller), caller) : 'token-invalid';
  if (reason) refuseFor(ctx, reason);
  return reason === undefined;
}

function record(ctx: RouteContext, { audit }: AccountResponseDeps, act: AuditedAct, reason?: string): void {
  const { caller, clientAddress: from, requestId } = ctx.state;
  const verdict = reason === undefined ? 'allowed' : 'refused';
  const by = { who: caller?.name, from, ...credentialOf(caller), ...agentOf(ctx.state) };
  const done = { ...act, ...shortened('user', act.user), ...shortened('role', act.role) };
  audit({ ...done, ...by, verdict, ...(reason !== undefined && { reason }), requestId });
}

/** A name from a path or a body may have any length. */
const shortened = (field: 'user' | 'role', name: string | undefined): Partial<AuditedAct> =>
  name === undefined ? {} : { [field]: shortText(name) };
