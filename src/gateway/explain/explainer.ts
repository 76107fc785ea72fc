/** Builds `explain` from the rules of the gate: beside a running server, or from its configuration alone (SPEC 1). */
import { isIP } from 'node:net';
import { requestShowing } from '../../access/sample-request.ts';
import { isFactorRequired } from '../../accounts/second-factor/second-factor.ts';
import { toPerson } from '../../accounts/sessions/session-state.ts';
import { nearest } from '../../config/problems/problems.ts';
import { trustedPeers } from '../../config/schema/proxy-rules.ts';
import type { Settings } from '../../config/schema/schema.ts';
import type { User } from '../../domain/accounts/account.ts';
import type { Caller } from '../../domain/caller.ts';
import { openingAt, wallText } from '../../domain/hours.ts';
import type { Role } from '../../domain/names.ts';
import { VIEWING_KINDS } from '../../domain/policy.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import { type ActiveRoles, earliestSeen } from '../../domain/rights.ts';
import { decodedText } from '../../identity/identity-header.ts';
import { type Description, type ExplainRules, type Explanation, explain } from './explain.ts';

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

/** Errs with what is wrong with the question. */
export type Explainer = ReturnType<typeof createExplainer>;

export const createExplainer =
  (rules: ExplainRules) =>
  async (question: ExplainQuestion): Promise<Result<Explanation, string>> => {
    const description = await describe(question, rules);
    if (!description.ok) return description;
    const explanation = await explain(description.value, rules);
    const { settings } = rules.config;
    const hints = [...roleHints(explanation, settings), ...cameraHints(explanation, settings)];
    const { role, roles = role === undefined ? [] : [role as Role] } = explanation;
    const limits = limitSentences(roles, await rules.roleRegistry.active(), rules.now());
    return ok({ ...explanation, ...(hints.length > 0 && { hints }), ...(limits.length > 0 && { limits }) });
  };

/** RFC 9110 5.6.2. */
const HEADER = /^(?<name>[!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*(?<value>[^\r\n\0]*)$/;
const METHOD = /^[A-Z]+$/;

async function describe(question: ExplainQuestion, rules: ExplainRules): Promise<Result<Description, string>> {
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
  const sent = lines.map((line): [string, string] => [line?.['name'] ?? '', asNodeReads(line?.['value'] ?? '')]);
  const bearer: [string, string][] = token === undefined ? [] : [['Authorization', `Bearer ${token}`]];
  const isUpgrade = method === 'WS';
  return ok({
    method: isUpgrade ? 'GET' : method,
    isUpgrade,
    target: path,
    headers: [...sent, ...bearer, ...assumedSecret(sent, settings)],
    peer: peer ?? assumedPeer(settings),
    ...(caller.value ? { caller: caller.value } : {}),
  });
}

/** Long enough ago that pictures of the present hour, which the NVR finds in another way, are not meant. */
const RECORDED_SECONDS = 7200;

/** The request as it is described, or the one that shows the camera. */
function requestIn(
  { method, path, camera, shows }: ExplainQuestion,
  caller: Caller | undefined,
  { config, now }: ExplainRules,
): Result<{ readonly method: string; readonly path: string }, string> {
  if (camera === undefined) return ok({ method, path });
  const kind = VIEWING_KINDS.find((known) => known === shows);
  if (!kind) return err(`shows is ${JSON.stringify(shows)}: write one of ${VIEWING_KINDS.join(', ')}`);
  if (!caller) return err('camera needs user: name the account that would see it');
  const at = Math.max(now() - RECORDED_SECONDS, earliestSeen(caller.history, now()) ?? 0);
  const request = requestShowing(config.policy, { shows: kind, camera, at });
  return request ? ok(request) : err(`no row of the route table shows one camera so (${kind}): describe a request`);
}

/** Header bytes come as Latin-1 text; what a person types is sent as UTF-8. */
const asNodeReads = (typed: string): string => Buffer.from(typed.trim(), 'utf8').toString('latin1');

async function callerNamed(
  name: string,
  { config: { settings }, findUser, roleRegistry, now }: ExplainRules,
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
  const owesFactor = ({ hasFactor, role }: User) => !hasFactor && isFactorRequired(settings.auth.second_factor, role);
  return ok({ ...toPerson(user, { roles: await roleRegistry.active(), now: now(), owesFactor }), credential });
}

/** The right secret is assumed, because the question is about users and roles; a described `X-Proxy-Secret` overrides it. */
function assumedSecret(sent: readonly (readonly [string, string])[], { proxy }: Settings): [string, string][] {
  const [secret] = proxy.auth_secret;
  const isDescribed = sent.some(([name]) => name.toLowerCase() === 'x-proxy-secret');
  return secret === undefined || isDescribed
    ? []
    : [['X-Proxy-Secret', Buffer.from(secret, 'utf8').toString('latin1')]];
}

/** A peer whose headers are believed. */
const assumedPeer = (settings: Settings): string => trustedPeers(settings)[0]?.split('/', 1)[0] ?? '127.0.0.1';

const cameraHints = (
  { drawn = [], unknownCameras = [] }: Explanation,
  { nvr }: Pick<Settings, 'nvr'>,
): readonly string[] => {
  const names = unknownCameras.join(', ');
  const who = 'custom roles cannot see its events; admins and viewers see what is stored';
  const curtain = `the curtain is drawn for this caller in front of ${drawn.join(', ')}: open it on the page Live, or by DELETE /api/curtain`;
  const unknown =
    nvr.cameras === undefined
      ? `no camera is known by the name ${names}: ${who}`
      : `nvr.cameras does not list ${names}: ${who}. Add it to nvr.cameras, or remove that key`;
  return [...(drawn.length > 0 ? [curtain] : []), ...(unknownCameras.length > 0 ? [unknown] : [])];
};

/** Why a user of single sign-on has not the role that was meant: what is likely wrong, a sentence each (SPEC 15). Pure. */
type ExplainedRole = Pick<Explanation, 'groups' | 'headers' | 'rule'>;
type Configured = Pick<Settings, 'auth' | 'proxy'>;

/** Not `:`, nor a blank: `other-client:admin` would become a role of ours, and "Domain admin" too. */
const SEPARATORS = [',', ';', '|'];
const ENCODINGS = ['percent', 'rfc2047'] as const;
const NAMES_GROUPS = /group|role/;

/** Empty with accounts of Postern's own, and when a group or a role name gave the role. */
function roleHints(told: ExplainedRole, settings: Configured): readonly string[] {
  const { auth, proxy } = settings;
  const isMatched = told.rule !== undefined && !/^no value of the role header/.test(told.rule);
  if (auth.enabled || isMatched || told.rule === undefined) return [];
  const known = knownNames(settings);
  const what = proxy.role_map.size > 0 ? 'groups in proxy.role_map' : 'roles there are';
  const groups = told.groups.length === 0 ? headerHints(told, settings) : groupHints(told.groups, known, settings);
  return [...groups, `${what}: ${known.join(', ') || 'none'}`];
}

const knownNames = ({ auth, proxy }: Configured): readonly string[] =>
  proxy.role_map.size > 0 ? [...proxy.role_map.values()].flat() : ['admin', 'viewer', ...auth.roles.keys()];

/** No group arrived. */
function headerHints({ headers }: ExplainedRole, { proxy }: Configured): readonly string[] {
  const mapped = proxy.header_map.role;
  if (mapped === undefined)
    return ['proxy.header_map.role is not set, so no header gives a role: name the header that holds the groups'];
  const own = headers.find(({ name }) => name === mapped);
  if (own?.fate === 'dropped' && own.why !== 'empty')
    return [`the header "${mapped}" arrived and was dropped: ${own.why}`];
  if (own) return [`the header "${mapped}" arrived empty: check that the proxy knows the groups of this user`];
  const other = headers.find(({ name }) => NAMES_GROUPS.test(name));
  if (other)
    return [
      `the header "${mapped}" did not arrive, and "${other.name}" did: set proxy.header_map.role to that one if it holds the groups`,
    ];
  return [`the header "${mapped}" did not arrive: let the proxy send the groups under this name`];
}

function groupHints(groups: readonly string[], known: readonly string[], { proxy }: Configured): readonly string[] {
  const {
    separator,
    header_map: { encoding },
  } = proxy;
  const hints = groups.flatMap((group) => {
    const joint = SEPARATORS.find(
      (each) => each !== separator && parts(group, each).some((part) => known.includes(part)),
    );
    if (joint !== undefined)
      return [
        `"${group}" looks like several groups joined by ${JSON.stringify(joint)}, and proxy.separator is ${JSON.stringify(separator)}`,
      ];
    const written = ENCODINGS.find((each) => each !== encoding && known.includes(decodedText(group, each) ?? ''));
    if (written !== undefined) return [`the group "${group}" is encoded: set proxy.header_map.encoding to ${written}`];
    const alike = known.find((name) => name.toLowerCase() === group.toLowerCase());
    if (alike !== undefined)
      return [`the group "${group}" differs from "${alike}" of proxy.role_map in upper and lower case`];
    const meant = nearest(group, known);
    return meant === undefined ? [] : [`the group "${group}" is nearly "${meant}"`];
  });
  return hints.length > 0 ? hints : [`none of the groups that arrived (${groups.join(', ')}) is known`];
}

const parts = (text: string, separator: string): readonly string[] => text.split(separator).map((part) => part.trim());

/** What limits roles now, a sentence each, for `explain` (SPEC 13). Pure. */
const limitSentences = (roles: readonly Role[], { limits, zone }: ActiveRoles, now: number): readonly string[] =>
  roles.flatMap((role) => {
    const { hours, historySince, deny = [] } = limits.get(role) ?? {};
    const opening = hours && openingAt(hours, zone, now);
    const until = opening?.changesAt === undefined ? '' : ` until ${wallText(opening.changesAt, zone)}`;
    return [
      ...(hours && opening
        ? [`${role} may be used ${hours.texts.join('; ')} (${zone}): ${opening.isOpen ? 'open' : 'closed'}${until}`]
        : []),
      ...(historySince ? [`${role} sees back ${historySince.text}`] : []),
      ...(deny.length > 0 ? [`${role} may not: ${deny.join(', ')}`] : []),
    ];
  });
