/**
 * The kernel of own routes. A route declares who may call it, the proof that it asks for, the shape of its body and the act
 * of its audit line; its `run` returns the answer or throws a `Refused`. The kernel does the rest, in this order: who,
 * proof, `before`, body, the rights of now, `run`, audit line, answer, count. A command of `postern` calls the same `run`.
 */
import type { Next } from 'koa';
import type { z } from 'zod';
import type { Services } from '../../app/services.ts';
import type { User } from '../../domain/accounts/account.ts';
import { type Caller, isAdministrator, lostRights } from '../../domain/caller.ts';
import { mayManageAccounts } from '../../domain/credentials.ts';
import type { Clause } from '../../domain/rate-limit.ts';
import { REFUSALS, type RefusalFacts, type RefusalReason, refusalBody } from '../../domain/refusal.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { ProblemTexts, Told } from '../../locales/texts.ts';
import type { Need, Operation, OwnRoute, RouteContext } from '../../routes/own-route.ts';
import { BODY_LIMITS } from '../../routes/read-body.ts';
import type { LoginResult } from '../../telemetry/metrics.ts';
import { type AuditEntry, auditedAgent, auditedCredential, shortText } from '../audit.ts';
import { BODY_FAULTS, type FieldFault, fieldsIn, hasBody, isJson, readJson, unknownFields } from './json-body.ts';

/** What guards an own route. */
export type AccountResponseDeps = Pick<Services, 'audit' | 'bodySeconds' | 'recheck' | 'asksProof' | 'onLogin'>;

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

/**
 * What was done, and to which user, role, token or session. `who` is given, with the credential, where it is not the caller of
 * the request; `reason`: why it was done.
 */
export type DoneAct = Omit<AuditEntry, 'who' | 'from' | 'agent' | 'verdict' | 'requestId'> &
  Partial<Pick<AuditEntry, 'who'>>;

interface RefusalMore {
  /** The reason of the audit line; a refusal without one leaves no line. */
  readonly recorded?: string;
  /** What it counts as, where it ends an attempt to log in. Default: `invalid_request`. */
  readonly counted?: LoginResult;
  readonly headers?: Readonly<Record<string, string>>;
  /** Further fields of the answer. */
  readonly fields?: object;
  /** Whose attempt to log in it ends, where there is such a user: for records, never for the client. */
  readonly user?: User | undefined;
  /** What pages say of it besides. */
  readonly facts?: RefusalFacts;
}

/** Thrown by `run` and `before`: the kernel answers it, and records it where it has a reason. */
export class Refused extends Error {
  readonly status: number;
  readonly told: Told | undefined;
  readonly body: object;
  readonly recorded: string | undefined;
  readonly counted: LoginResult;
  readonly headers: Readonly<Record<string, string>>;
  /** Private: a log that holds the fault must not hold the user's hash. */
  readonly #user: User | undefined;
  readonly facts: RefusalFacts;
  /** `told`: what pages say of it; undefined where the answer is fixed. `message`: the sentence for programs. */
  constructor(status: number, told: Told | undefined, message: string, more: RefusalMore = {}) {
    const { recorded, counted = 'invalid_request', headers = {}, fields = {}, user, facts = {} } = more;
    super(message);
    this.status = status;
    this.told = told;
    const values = typeof told === 'object' && { values: told[1] };
    this.body = { success: false, message, ...(told && { reason: reasonOf(told), ...values }), ...fields };
    this.recorded = recorded;
    this.counted = counted;
    this.headers = headers;
    this.#user = user;
    this.facts = facts;
  }
  get user(): User | undefined {
    return this.#user;
  }
}

const reasonOf = (told: Told): keyof ProblemTexts => (typeof told === 'string' ? told : told[0]);

/** A refusal that the audit line names by its reason, or by another one. */
export const unfit = (told: Told, message: string, status = 400, recorded: string = reasonOf(told)): Refused =>
  new Refused(status, told, message, { recorded });

/** The refusal of the table `REFUSALS`. */
export function refusedFor(reason: RefusalReason, facts: RefusalFacts = {}, more: RefusalMore = {}): Refused {
  const { status, message } = REFUSALS[reason];
  const fields = { ...refusalBody(reason, facts), ...more.fields };
  return new Refused(status, reason, message, { ...more, fields, facts });
}

/** 422, with what is wrong with each field. */
export const refusedFields = (faults: readonly FieldFault[]): Refused =>
  new Refused(422, 'fields-invalid', faults.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; '), {
    fields: { detail: faults },
  });

/** A new password check may find a free lane by then. */
export const BUSY_RETRY_SECONDS = 5;
const BUSY = 'Too many passwords are being checked at the same time: try again in a few seconds.';

export const refusedWhileBusy = (recorded?: string): Refused =>
  new Refused(503, 'busy', BUSY, {
    ...(recorded && { recorded }),
    counted: 'busy',
    headers: { 'Retry-After': String(BUSY_RETRY_SECONDS) },
  });

/** An attempt that the login limiter refused. `error` is the reference's own wording. */
export const refusedWhileLimited = ({
  clause,
  retryAfterSeconds: seconds,
}: {
  readonly clause: Clause;
  readonly retryAfterSeconds: number;
}): Refused =>
  new Refused(429, ['rate-limited', { seconds }], `Too many failed attempts: try again in ${seconds} s.`, {
    recorded: 'rate-limited',
    counted: 'rate_limited',
    headers: { 'Retry-After': String(seconds) },
    fields: { error: `Rate limit exceeded: ${limitMessage(clause)}` },
  });

/** `5/minute` as `5 per 1 minute`, `10/5 minutes` as `10 per 5 minute`. */
const limitMessage = ({ text }: Clause): string =>
  text.replace(/^(\d+)\/(?:(\d+) )?(\w+?)s?$/, (_, count, multiple = '1', unit) => `${count} per ${multiple} ${unit}`);

/** What `run` gives when it has set the response itself. */
export const ANSWERED: object = Object.freeze({});

/** The value, or 422 with what is wrong with each field. */
export function orRefusedFields<Value>(read: Result<Value, readonly FieldFault[]>): Value {
  if (!read.ok) throw refusedFields(read.error);
  return read.value;
}

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
  readonly note: (facts: Partial<DoneAct>) => void;
  /** Writes the audit line of the route now: the change is made, and what `run` still does may fail. */
  readonly done: () => void;
  /** Writes a line of its own; `reason`: why it was refused. */
  readonly record: (act: DoneAct, reason?: string) => void;
  /** Refuses unless the caller has shown lately to be the person. */
  readonly prove: (act: GuardedAct) => void;
  /** The request; absent for a command. */
  readonly ctx?: RouteContext;
  /** Goes on to the proxy. */
  readonly next?: Next;
}

/** The call of a route for anyone: always a request, perhaps of a stranger. */
export type OpenCall<Body = unknown> = Omit<Call<Body>, 'caller' | 'ctx'> & {
  readonly caller: Caller | undefined;
  readonly ctx: RouteContext;
};

/**
 * How the body is read. `fields`: by its shape, other fields are passed over. `strict`: by its shape, other fields are
 * refused. `names`: other fields are refused, the values are judged by `run`. `maybe`: as `fields`, and there may be no body:
 * `undefined`.
 */
type Reading = 'fields' | 'strict' | 'names' | 'maybe';
type BodyOf<Shape extends z.ZodType, Read extends Reading> = Read extends 'names'
  ? Readonly<Record<string, unknown>>
  : z.output<Shape> | (Read extends 'maybe' ? undefined : never);

type Who = 'admin' | 'person' | 'anyone';
type CallOf<By extends Who, Body> = By extends 'anyone' ? OpenCall<Body> : Call<Body>;

type Declared<Deps, Shape extends z.ZodType, Read extends Reading, By extends Who> = Need &
  Operation & {
    /** Methods and path, as in a route table. */
    readonly route: string;
    /** `admin`: may manage accounts, or only read. `person`: may change the own account. `anyone`: strangers too. Default: every caller. */
    readonly who?: By;
    readonly proof?: GuardedAct;
    readonly act?: DoneAct['what'];
    readonly body?: Shape;
    readonly reads?: Read;
    /** Bytes of the body at most. */
    readonly bytes?: number;
    /** A body without a Content-Type is JSON, too, where no browser has sent it. */
    readonly untyped?: true;
    /** It is counted as an attempt to log in. */
    readonly counts?: true;
    /** What can be refused before the body is read. */
    readonly before?: (call: CallOf<By, unknown>, deps: Deps) => unknown;
    readonly run: (call: CallOf<By, BodyOf<Shape, Read>>, deps: Deps) => unknown;
  };

/** Declares routes of a group; curried, so that the shape of each body is inferred. */
export const declaring =
  <Deps extends AccountResponseDeps>() =>
  <Shape extends z.ZodType = z.ZodType<undefined>, Read extends Reading = 'fields', By extends Who = 'admin'>(
    declared: Declared<Deps, Shape, Read, By>,
  ): OwnRoute<Deps> => {
    const { who, proof, act, reads, bytes: _, untyped: __, counts, before, run, ...route } = declared;
    /** `read`: the JSON of the body, after the rights were read again. */
    const perform = async (
      call: Omit<Call, 'body' | 'caller' | 'note' | 'done' | 'prove'>,
      caller: Caller | undefined,
      deps: Deps,
      read: () => Promise<unknown>,
    ): Promise<object> => {
      let noted: Partial<DoneAct> = {};
      let isDone = false;
      if (who !== 'anyone') guard(caller, who, ['GET', 'HEAD'].includes(call.ctx?.method ?? ''));
      const done = (): void => {
        if (act && !isDone) call.record({ what: act, ...noted });
        isDone = true;
      };
      const prove = (asked: GuardedAct): void => {
        if (!caller || !deps.asksProof(caller, asked)) return;
        // The page of the console that asks for the proof, where a page of the NVR may have sent the request.
        const [page, { basePath = '' } = {}] = [call.ctx && PAGES[asked], call.ctx?.state];
        throw refusedFor('reauthentication-required', page === undefined ? {} : { page: `${basePath}${page}` });
      };
      const note = (facts: Partial<DoneAct>): void => {
        noted = { ...noted, ...facts };
      };
      const whole = (body: unknown) =>
        ({ ...call, caller, body, note, done, prove }) as unknown as CallOf<By, BodyOf<Shape, Read>>;
      try {
        if (proof) prove(proof);
        await before?.(whole(undefined), deps);
        const body = route.body && shaped(route.body, reads, await read());
        const answer = await run(whole(body), deps);
        done();
        return (answer as object | undefined) ?? { success: true };
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
          record: (done: DoneAct, reason?: string) => record(ctx, deps, done, reason),
        };
        const answered = () => perform(call, ctx.state.caller, deps, () => readBody(ctx, deps, declared));
        try {
          const answer = await (counts ? whileCounted(deps, answered) : answered());
          if (answer !== ANSWERED) respond(ctx, route.yes[0], answer);
        } catch (fault) {
          if (!(fault instanceof Refused)) throw fault;
          ctx.set({ ...fault.headers });
          respond(ctx, fault.status, fault.body);
        }
      },
      ...(who !== 'anyone' && {
        call: async ({ caller, from, params = {}, query = new URLSearchParams(), body, owner }, deps) => {
          const by = { who: caller.name, from };
          const write = (done: DoneAct, reason?: string): void =>
            deps.audit({
              ...done,
              ...by,
              verdict: reason === undefined ? 'allowed' : 'refused',
              ...(reason && { reason }),
            });
          try {
            return ok(await perform({ from, params, query, owner, record: write }, caller, deps, async () => body));
          } catch (fault) {
            if (fault instanceof Refused) return err({ status: fault.status, message: fault.message });
            throw fault;
          }
        },
      }),
    };
  };

/** The same route for the form of its page, and whatever else is not JSON. */
export const orByForm = <Deps>(
  json: OwnRoute<Deps>,
  form: (ctx: RouteContext, deps: Deps) => unknown,
): OwnRoute<Deps> => ({
  ...json,
  handler: (ctx, deps, next) => (isJson(ctx) ? json.handler?.(ctx, deps, next) : form(ctx, deps)),
});

/** Counts an attempt to log in, however it ends. `yes`: what its answer counts as. */
export async function whileCounted<Answer>(
  { onLogin }: Pick<Services, 'onLogin'>,
  attempt: () => Promise<Answer>,
  yes: LoginResult = 'success',
): Promise<Answer> {
  try {
    const answer = await attempt();
    onLogin(yes);
    return answer;
  } catch (fault) {
    onLogin(fault instanceof Refused ? fault.counted : 'error');
    throw fault;
  }
}

/** The route table requires the role too; a mistake there must not open the accounts. */
function guard(caller: Caller | undefined, who: Who | undefined, isRead: boolean): void {
  if (!caller) throw refusedFor('no-credentials');
  if (who === 'admin' && !isAdministrator(caller)) throw refusedFor('role-too-low');
  const mayOnlyRead = who === 'admin' && isRead;
  if (who !== undefined && !mayOnlyRead && !mayManageAccounts(caller)) throw refusedFor('person-needed');
}

function shaped(shape: z.ZodType, reads: Reading = 'fields', json: unknown): unknown {
  if (reads === 'maybe' && json === undefined) return json;
  const unknown = reads === 'fields' || reads === 'maybe' ? [] : unknownFields(shape as z.ZodObject, json);
  if (unknown.length > 0) throw refusedFields(unknown);
  if (reads === 'names') return Object(json);
  return orRefusedFields(fieldsIn(shape, json));
}

type BodyDeclared = Pick<Declared<never, never, Reading, Who>, 'bytes' | 'untyped' | 'reads' | 'who'>;

async function readBody(ctx: RouteContext, deps: AccountResponseDeps, declared: BodyDeclared): Promise<unknown> {
  const { bytes = BODY_LIMITS.credentials, untyped, reads, who } = declared;
  const body =
    reads === 'maybe' && !hasBody(ctx.req.headers)
      ? ok(undefined)
      : await readJson(ctx.req, { bytes, seconds: deps.bodySeconds(), ...(untyped && { untyped }) });
  if (!body.ok) {
    const { status, reason, message } = BODY_FAULTS[body.error];
    const fields = status === 422 && { detail: [{ loc: ['body'], msg: message, type: 'json_invalid' }] };
    throw new Refused(status, reason, message, { headers: closing(ctx), ...(fields && { fields }) });
  }
  if (who !== 'anyone') await checkRightsAgain(ctx, deps);
  return body.value;
}

/** What is left of a body that was not read to its end: the connection cannot be used for another request. */
export const closing = ({ req }: RouteContext): Readonly<Record<string, string>> =>
  req.httpVersionMajor === 1 && !req.complete ? { Connection: 'close' } : {};

/**
 * Checks the caller's rights again once the body has arrived: a request whose body is held back while the rights are
 * taken away changes nothing. Throws a `Refused`.
 */
export async function checkRightsAgain(ctx: RouteContext, { recheck }: Pick<Services, 'recheck'>): Promise<void> {
  const { caller } = ctx.state;
  const reason = caller ? lostRights(await recheck(caller), caller) : 'token-invalid';
  if (reason) throw refusedFor(reason);
}

/** Writes the audit line of an act. `refused`: why it was not done. */
export function record(ctx: RouteContext, { audit }: Pick<Services, 'audit'>, act: DoneAct, refused?: string) {
  const { caller, clientAddress: from, requestId } = ctx.state;
  const who = 'who' in act ? act.who : caller?.name;
  const by = { who, from, ...('who' in act ? {} : auditedCredential(caller)), ...auditedAgent(ctx.state) };
  // deploy/fail2ban reads from whom and from where at the beginning of the line.
  const first = { what: act.what, ...('who' in act && { who, from }) };
  const names = { ...shortened('user', act), ...shortened('role', act), ...shortened('provider', act) };
  const done = { ...first, ...act, ...names };
  const verdict = refused === undefined ? 'allowed' : 'refused';
  const entry: AuditEntry = { ...done, ...by, verdict, ...(refused !== undefined && { reason: refused }), requestId };
  audit(entry);
  return entry;
}

/** A name from a path or a body may have any length. */
const shortened = (field: 'user' | 'role' | 'provider', { [field]: name }: DoneAct): Partial<DoneAct> =>
  name === undefined ? {} : { [field]: shortText(name) };

/** Answers of the account routes: JSON, never cached, refusals in one shape (SPEC 5). */
export function respond(ctx: RouteContext, status: number, body: object): void {
  ctx.set('Cache-Control', 'no-store');
  ctx.status = status;
  ctx.body = body;
}

export const refuseFor = (ctx: RouteContext, reason: RefusalReason): void =>
  respond(ctx, REFUSALS[reason].status, refusalBody(reason));

/** Where a path takes POST alone. */
export function refuseMethod(ctx: RouteContext): void {
  ctx.set('Allow', 'POST');
  refuseFor(ctx, 'method-not-allowed');
}
