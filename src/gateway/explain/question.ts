/** The question that `explain` is asked, as the facts that the decision is made by (SPEC 1, `explain`). */
import { isIP } from 'node:net';
import { requestShowing } from '../../access/sample-request.ts';
import { isFactorRequired } from '../../accounts/second-factor/second-factor.ts';
import { trustedPeers } from '../../config/schema/proxy-rules.ts';
import type { Settings } from '../../config/schema/schema.ts';
import type { ServiceConfig } from '../../config/service-config.ts';
import type { User } from '../../domain/accounts/account.ts';
import type { MaybePromise } from '../../domain/async.ts';
import type { Caller } from '../../domain/caller.ts';
import type { CameraScope } from '../../domain/camera-scope.ts';
import { type Clock, unixSeconds } from '../../domain/clock.ts';
import { VIEWING_KINDS } from '../../domain/policy.ts';
import type { RequestFacts } from '../../domain/request.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import { type ActiveRoles, earliestSeen, toPerson } from '../../domain/rights.ts';
import type { Trace } from '../../identity/identity-trace.ts';
import type { Rules } from '../decision/admit.ts';
import type { DestinationRules } from '../decision/destinations.ts';
import type { HeaderRules } from '../forward/judged-request.ts';

/** What an explanation is made from: the configuration, the accounts, and the rules of the gate, which tell `trace` what they see. */
export interface ExplainRules {
  readonly config: Pick<ServiceConfig, 'settings' | 'policy'>;
  readonly roleRegistry: { active(): MaybePromise<ActiveRoles> };
  readonly clock: Clock;
  readonly findUser: (name: string) => Promise<User | undefined>;
  readonly rules: (more: { readonly trace: Trace }) => Rules;
  readonly destinations: DestinationRules;
  readonly headers: () => HeaderRules;
  /** Names to show for a scope. */
  readonly seen: (scope: CameraScope) => readonly string[];
}

/** The question as given at the command line, or to `GET /api/explain`. */
export interface ExplainQuestion {
  /** `WS` for a WebSocket upgrade. */
  readonly method: string;
  readonly path: string;
  /** Asked for in the place of method and path: whether the user may see the camera so. */
  readonly camera?: string | undefined;
  readonly shows?: string | undefined;
  readonly user?: string | undefined;
  readonly token?: string | undefined;
  /** `Name: value`. */
  readonly headers: readonly string[];
  readonly peer?: string | undefined;
}

type SentHeader = readonly [name: string, value: string];

/** RFC 9110 5.6.2. */
const HEADER = /^(?<name>[!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*(?<value>[^\r\n\0]*)$/;
const METHOD = /^[A-Z]+$/;

/** The facts, and the caller where it is described and not identified by headers. Errs with what is wrong with the question. */
export async function readQuestion(
  question: ExplainQuestion,
  rules: ExplainRules,
): Promise<Result<{ readonly facts: RequestFacts; readonly caller: Caller | undefined }, string>> {
  const { settings } = rules.config;
  const { user, token, headers, peer } = question;
  const caller = user === undefined ? ok(undefined) : await callerNamed(user, rules);
  if (!caller.ok) return caller;
  const asked = requestIn(question, caller.value, rules);
  if (!asked.ok) return asked;
  const { method, path } = asked.value;
  if (!METHOD.test(method))
    return err(`${JSON.stringify(method)} is not a method: write GET, PUT … or WS for a WebSocket`);
  if (!path.startsWith('/')) return err(`${JSON.stringify(path)} is not a path: begin it with a slash`);
  if (peer !== undefined && isIP(peer) === 0)
    return err(`${JSON.stringify(peer)} is not an address: write for example 172.18.0.5`);
  const lines = headers.map((line) => HEADER.exec(line)?.groups);
  const bad = headers.find((_, at) => lines[at] === undefined);
  if (bad !== undefined) return err(`${JSON.stringify(bad)} is not a header: write "Name: value"`);
  const sent = lines.map((line): SentHeader => [line?.['name'] ?? '', asNodeReads(line?.['value'] ?? '')]);
  const bearer: SentHeader[] = token === undefined ? [] : [['Authorization', `Bearer ${token}`]];
  const whole = [...sent, ...bearer, ...assumedSecret(sent, settings)];
  return ok({ facts: toFacts(method, path, whole, peer ?? assumedPeer(settings)), caller: caller.value });
}

/** Long enough ago that pictures of the present hour, which the NVR finds in another way, are not meant. */
const RECORDED_SECONDS = 7200;

/** The request as it is described, or the one that shows the camera. */
function requestIn(
  { method, path, camera, shows }: ExplainQuestion,
  caller: Caller | undefined,
  { config, clock }: ExplainRules,
): Result<{ readonly method: string; readonly path: string }, string> {
  if (camera === undefined) return ok({ method, path });
  const kind = VIEWING_KINDS.find((known) => known === shows);
  if (!kind) return err(`shows is ${JSON.stringify(shows)}: write one of ${VIEWING_KINDS.join(', ')}`);
  if (!caller) return err('camera needs user: name the account that would see it');
  const now = unixSeconds(clock);
  const at = Math.max(now - RECORDED_SECONDS, earliestSeen(caller.history, now) ?? 0);
  const request = requestShowing(config.policy, { shows: kind, camera, at });
  return request ? ok(request) : err(`no row of the route table shows one camera so (${kind}): describe a request`);
}

/** Header bytes come as Latin-1 text; what a person types is sent as UTF-8. */
const asNodeReads = (typed: string): string => Buffer.from(typed.trim(), 'utf8').toString('latin1');

async function callerNamed(
  name: string,
  { config: { settings }, findUser, roleRegistry, clock }: ExplainRules,
): Promise<Result<Caller, string>> {
  if (!settings.auth.enabled) {
    return err('auth.enabled is false, so users are not known by account: describe the headers that the proxy sends');
  }
  const user = await findUser(name);
  if (!user) return err(`there is no user ${JSON.stringify(name)}: "postern users list" shows all`);
  const credential = {
    kind: 'session',
    tokenId: '',
    issuedAt: 0,
    expiresAt: Number.MAX_SAFE_INTEGER,
    carriedBy: 'cookie',
  } as const;
  const mustEnrol = !user.hasFactor && isFactorRequired(settings.auth.second_factor, user.role);
  return ok({ ...toPerson(user, await roleRegistry.active(), unixSeconds(clock), mustEnrol), credential });
}

/** The right secret is assumed, because the question is about users and roles; a described `X-Proxy-Secret` overrides it. */
function assumedSecret(sent: readonly SentHeader[], { proxy }: Settings): SentHeader[] {
  const [secret] = proxy.auth_secret;
  const isDescribed = sent.some(([name]) => name.toLowerCase() === 'x-proxy-secret');
  return secret === undefined || isDescribed
    ? []
    : [['X-Proxy-Secret', Buffer.from(secret, 'utf8').toString('latin1')]];
}

/** A peer whose headers are believed. */
const assumedPeer = (settings: Settings): string => trustedPeers(settings)[0]?.split('/', 1)[0] ?? '127.0.0.1';

/** `method` is `WS` for a WebSocket upgrade; `peer` the address of the TCP peer. */
export function toFacts(method: string, target: string, headers: readonly SentHeader[], peer: string): RequestFacts {
  const isUpgrade = method === 'WS';
  const host = headers.some(([name]) => name.toLowerCase() === 'host') ? [] : [['Host', 'postern'] as const];
  const lines = [...host, ...headers, ...(isUpgrade ? UPGRADE : [])];
  return {
    listener: 'external',
    method: isUpgrade ? 'GET' : method,
    target,
    httpVersion: '1.1',
    rawHeaders: lines.flat(),
    headers: joined(lines),
    peer,
    encrypted: true,
    isUpgrade,
    pipelinedBytes: 0,
  };
}

/** A valid handshake: the question is not about the handshake (RFC 6455 4.1). */
const UPGRADE: readonly SentHeader[] = [
  ['Connection', 'Upgrade'],
  ['Upgrade', 'websocket'],
  ['Sec-WebSocket-Version', '13'],
  ['Sec-WebSocket-Key', 'AAAAAAAAAAAAAAAAAAAAAA=='],
];

/** The headers as Node joins repeats. Headers that must not be repeated are refused before they are read here. */
function joined(lines: readonly SentHeader[]): Record<string, string> {
  const headers: Record<string, string> = Object.create(null);
  for (const [received, value] of lines) {
    const name = received.toLowerCase();
    const before = headers[name];
    headers[name] = before === undefined ? value : `${before}${name === 'cookie' ? '; ' : ', '}${value}`;
  }
  return headers;
}
