/** The questions, by stages: each stage is one configuration, asked of both sides from the same store. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeSample } from '../../src/access/sample-request.ts';
import { parsePolicy } from '../../src/config/policy/load-policy.ts';
import type { Vector } from '../attacks/support/vector.ts';
import { askedOfAll, foreign, type Operation, own, readOperations } from '../policy/support/rows.ts';
import { BEDROOM, GARDEN } from '../policy/support/two-cameras.ts';
import { CONFIG, type Seed } from './seed.ts';
import type { Question } from './side.ts';

type Tree = { readonly [key: string]: unknown };

export interface Stage {
  readonly name: string;
  readonly config: Tree;
  readonly questions: readonly Question[];
  /** Only the internal listener is asked. */
  readonly isInternal?: true;
  /** Nobody logs in: identity comes from headers. */
  readonly isProxied?: true;
}

const DATA = join(import.meta.dirname, '../data');
const read = <T>(file: string): T => JSON.parse(readFileSync(join(DATA, file), 'utf8')) as T;

const SESSIONS = ['admin', 'vera', 'gustav', 'carl'].flatMap((name) => [`${name}, cookie`, `${name}, bearer`]);
export const callersOf = ({ credentials }: Seed): string[] => [...SESSIONS, ...Object.keys(credentials)];

/** Credentials of proxy mode: the headers that a proxy sends. */
const SECRET = 'between-proxy-and-postern';
const fromProxy = (groups: string, secret = SECRET): Readonly<Record<string, string>> => ({
  'x-proxy-secret': secret,
  'x-forwarded-user': 'paula',
  'x-forwarded-groups': groups,
});
export const PROXIED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'proxy, admins': fromProxy('admins'),
  'proxy, viewers': fromProxy('viewers,others'),
  'proxy, gardeners': fromProxy('gardeners'),
  'proxy, unknown group': fromProxy('strangers'),
  'proxy, wrong secret': fromProxy('admins', 'made-up'),
  'proxy, no user': { 'x-proxy-secret': SECRET },
};
const PROXY_CONFIG = {
  ...CONFIG,
  auth: { ...CONFIG.auth, enabled: false },
  proxy: {
    auth_secret: SECRET,
    default_role: 'none',
    header_map: { user: 'x-forwarded-user', role: 'x-forwarded-groups' },
    role_map: { admin: ['admins'], viewer: ['viewers'], gardener: ['gardeners'] },
  },
};

/** What of the NVR's operations each caller is asked. */
function nvrQuestions(callers: readonly string[]): Question[] {
  const operations = readOperations().filter(({ p, svc }) => svc !== 'auth' && !p.startsWith('/api/users'));
  const ofOperation = (operation: Operation): Omit<Question, 'caller'>[] => {
    const asked = [askedOfAll(operation), own(operation), foreign(operation)].filter((one) => one !== undefined);
    return [...new Map(asked.map((one) => [`${one.target} ${one.body}`, one])).values()];
  };
  return operations.flatMap((operation) =>
    callers.flatMap((caller) => ofOperation(operation).map((question) => ({ ...question, caller }))),
  );
}

/** Rows of another table, about a camera that the gardener sees and one that he does not. */
function tableQuestions(checkout: string, name: string): Question[] {
  const file = join(checkout, 'conf/policies', `${name}.yaml`);
  const parsed = parsePolicy(readFileSync(file, 'utf8'), file);
  if (!parsed.ok) throw new Error(`${file}: ${JSON.stringify(parsed.error)}`);
  const callers = ['admin, cookie', 'vera, bearer', 'gustav, cookie', 'gardener token', 'screen', 'anonymous'];
  return parsed.value.rows.flatMap((row) =>
    row.methods.flatMap((method) =>
      [GARDEN.camera, BEDROOM.camera].flatMap((camera) => {
        const { path, query } = makeSample(row, camera);
        const target = query === '' ? path : `${path}?${query}`;
        return callers.map((caller) => ({ caller, method: method === 'ANY' ? 'GET' : method, target }));
      }),
    ),
  );
}

interface Golden {
  readonly configured: readonly string[];
  readonly roles: Readonly<Record<string, readonly string[] | null>>;
  readonly cases: readonly { readonly role: string; readonly path: string; readonly query: string }[];
}

/** The golden questions as the roles that people of the seed have. */
function goldenQuestions(): Question[] {
  const callerOf = (role: string): string =>
    role === 'admin' ? 'admin, bearer' : role === 'viewer' ? 'vera, bearer' : 'gustav, bearer';
  return read<Golden>('golden-visible.json').cases.map(({ role, path, query }) => ({
    caller: callerOf(role),
    method: 'GET',
    target: query === '' ? path : `${path}?${query}`,
  }));
}

/** The vectors of attacks that need no fault of the NVR and no waiting. */
function vectorQuestions(port: 'ext' | 'int', mode: 'builtin' | 'proxy'): Question[] {
  return read<Vector[]>('attack-vectors.json')
    .filter(({ setup }) => setup.port === port && setup.mode === mode && setup.limiter === undefined)
    .filter(({ setup }) => !setup.upstream && !setup.clientAction && setup.holdOpenMs === undefined)
    .map(({ id, raw, setup }) => ({
      caller: JSON.stringify(setup.jwt ?? {}),
      method: 'RAW',
      target: id,
      raw,
    }));
}

interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Shape>> };
}
interface DescribedOperation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Shape }>> };
}
type Shape = { readonly [key: string]: unknown };

/** Bodies that fit a name of a field, where the shape alone does not say enough. */
const FITTING: Readonly<Record<string, unknown>> = {
  user: 'vera', username: 'newcomer', password: 'A-long-Passw0rd!!', old_password: 'IronsPassw0rd!!', role: 'viewer',
  cameras: [GARDEN.camera], what: { event: GARDEN.event }, provider: 'nowhere', name: 'a name', code: '123456',
  user_code: 'BCDF-GHJK', device_code: 'dev_0', source: 'postern', until: null, valid_until: null, valid_from: null,
  ends_at: null, expires_at: null, expires_in: 3600, uses: 1, pin: '4711', address: '192.0.2.7', id: 'x',
}; // biome-ignore format: a table

function bodiesFor(operation: DescribedOperation, schemas: Described['components']['schemas']): (string | undefined)[] {
  const shape = Object.values(operation.requestBody?.content ?? {})[0]?.schema;
  if (shape === undefined) return [undefined];
  const right = sample(shape, schemas) as Tree;
  const first = Object.keys(right ?? {})[0] ?? 'x';
  const wrong = [{}, { ...right, [first]: { odd: [] } }, { ...right, surplus: 1 }, []].map((body) =>
    JSON.stringify(body),
  );
  return [...wrong, '{"cut": ', JSON.stringify(right)];
}

function sample(shape: Shape, schemas: Described['components']['schemas'], name = ''): unknown {
  if (name in FITTING) return FITTING[name];
  if (typeof shape['$ref'] === 'string')
    return sample(schemas[shape['$ref'].split('/').at(-1) ?? ''] ?? {}, schemas, name);
  const [choice] = (shape['anyOf'] ?? shape['oneOf'] ?? shape['allOf'] ?? []) as Shape[];
  if (choice) return sample(choice, schemas, name);
  if ('const' in shape) return shape['const'];
  if (Array.isArray(shape['enum'])) return shape['enum'][0];
  if (shape['type'] === 'object' || shape['properties']) {
    const properties = (shape['properties'] ?? {}) as Readonly<Record<string, Shape>>;
    return Object.fromEntries(Object.entries(properties).map(([key, one]) => [key, sample(one, schemas, key)]));
  }
  if (shape['type'] === 'array') return [sample((shape['items'] ?? {}) as Shape, schemas)];
  if (shape['type'] === 'boolean') return true;
  return shape['type'] === 'string' ? 'text' : 1;
}

/** Postern's own operations, as its older side describes them. Those that change something have a stage of their own. */
function ownStages(described: Described, seed: Seed): Stage[] {
  const operations = Object.entries(described.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const targetsOf = (path: string): string[] => {
    const id = path.includes('/tokens') ? seed.ids.token : path.includes('/links') ? seed.ids.link : seed.ids.screen;
    const named = (user: string, role: string): string =>
      path
        .replaceAll(/\{(?:name|username|user)\}/g, user)
        .replaceAll('{role}', role)
        .replaceAll('{id}', id)
        .replaceAll(/\{\w+\}/g, 'x');
    return [...new Set([named('vera', 'barn'), named('nemo', 'gardener')])];
  };
  const asked = ({ path, method, operation }: (typeof operations)[number]): Question[] =>
    targetsOf(path).flatMap((target) =>
      bodiesFor(operation, described.components.schemas).flatMap((body) =>
        callersOf(seed).map((caller) => ({ caller, method, target, body })),
      ),
    );
  const isSafe = ({ method }: (typeof operations)[number]): boolean => method === 'GET' || method === 'HEAD';
  const isRepeated = ({ path }: (typeof operations)[number]): boolean => !/logout/.test(path);
  const safe = operations.filter((one) => isSafe(one) && isRepeated(one));
  const odd = ['?limit=0&odd=1', '?limit=x', '?after=-1&before=x', '?camera=bedroom'];
  const pages = ['/', '/login', '/postern/', '/postern/screen', '/postern/nowhere', ...seed.links];
  const others: Question[] = [...callersOf(seed)].flatMap((caller) => [
    ...pages.map((target) => ({ caller, method: 'GET', target, headers: { accept: 'text/html' } })),
    ...safe.flatMap(({ path }) =>
      odd.map((query) => ({ caller, method: 'GET', target: `${targetsOf(path)[0]}${query}` })),
    ),
  ]);
  return [
    { name: 'own, reading', config: CONFIG, questions: [...safe.flatMap(asked), ...others] },
    ...operations
      .filter((one) => !isSafe(one) || !isRepeated(one))
      .map((one) => ({ name: `own, ${one.method} ${one.path}`, config: CONFIG, questions: asked(one) })),
  ];
}

export function stagesOf(older: string, seed: Seed, description: object): Stage[] {
  const callers = callersOf(seed);
  const golden = { ...CONFIG, nvr: { cameras: read<Golden>('golden-visible.json').configured } };
  const roles = { ...CONFIG.auth.roles, gardener: ['front_door', 'garage'] };
  const builtIn = { ...CONFIG, events: { source: 'nvr' } };
  const table = (name: string): Stage => ({
    name,
    config: { ...CONFIG, nvr: { ...CONFIG.nvr, policy: name } },
    questions: tableQuestions(older, name),
  });
  return [
    { name: 'nvr', config: builtIn, questions: nvrQuestions(callers) },
    { name: 'nvr, internal', config: builtIn, questions: nvrQuestions(['anonymous']), isInternal: true },
    { name: 'nvr, proxy', config: PROXY_CONFIG, questions: nvrQuestions(Object.keys(PROXIED)), isProxied: true },
    table('go2rtc'),
    table('mediamtx'),
    {
      name: 'golden',
      config: { ...golden, auth: { ...CONFIG.auth, roles }, events: { source: 'store' } },
      questions: goldenQuestions(),
    },
    { name: 'vectors', config: builtIn, questions: vectorQuestions('ext', 'builtin') },
    { name: 'vectors, internal', config: builtIn, questions: vectorQuestions('int', 'builtin'), isInternal: true },
    { name: 'vectors, proxy', config: PROXY_CONFIG, questions: vectorQuestions('ext', 'proxy'), isProxied: true },
    ...ownStages(description as Described, seed),
  ];
}
