/** The OpenAPI 3.1 description of Postern's own API, made of the table of its operations (SPEC 15). */
import { OPERATIONS, type Operation } from './operations.ts';
import { named, SCHEMAS } from './schemas.ts';

const REASONS: Readonly<Record<number, string>> = {
  200: 'Done',
  201: 'Made',
  202: 'Authenticated: remote-user and remote-role name user and role',
  206: 'A part',
  301: 'Elsewhere',
  303: 'Elsewhere',
  400: 'The request is not accepted',
  401: 'Not known',
  403: 'May not',
  404: 'Not there',
  409: 'Exists already, or is defined elsewhere',
  413: 'Too large',
  415: 'Of another type',
  422: 'A field or parameter is wrong',
  429: 'Too many wrong passwords or tokens: see Retry-After',
  502: 'The NVR does not answer',
  503: 'Busy, or the store does not answer: see Retry-After',
  504: 'The NVR takes too long',
};

/** Plain data. `version`: of Postern. */
export function openApiDocument(version: string) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of OPERATIONS) {
    paths[operation.path] ??= {};
    Object.assign(paths[operation.path] ?? {}, { [operation.method]: described(operation) });
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Postern',
      version,
      description: "Postern's own API. Every other path is the NVR's, cut to what the caller may see.",
    },
    servers: [{ url: './', description: 'Path of the pages' }],
    paths,
    components: {
      schemas: SCHEMAS,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API token, or a session token' },
        session: { type: 'apiKey', in: 'cookie', name: 'frigate_token', description: 'Named by auth.cookie_name' },
      },
    },
  };
}

/** A malformed request; a bad credential, or too many of them. */
const ANYWHERE = [400];
const NOT_LET_IN = [401, 403, 429];

function described({ summary, who, path, query = {}, body, yes, no = [], type }: Operation) {
  const [status, schema] = yes;
  const good = { description: REASONS[status], ...contentOf(type, schema) };
  const refused = contentOf(type === 'text/html' ? type : undefined, named('Refusal'));
  const bad = [...new Set([...ANYWHERE, ...no, ...(who === 'public' ? [] : NOT_LET_IN)])].sort();
  return {
    summary,
    security: who === 'public' ? [] : [{ bearer: [] }, { session: [] }],
    ...(who === 'admin' ? { description: 'For admins.' } : {}),
    parameters: [...inPath(path), ...inQuery(query)],
    ...(body ? { requestBody: { required: true, content: { 'application/json': { schema: body } } } } : {}),
    responses: {
      [status]: good,
      ...Object.fromEntries(bad.map((each) => [each, { description: REASONS[each], ...refused }])),
    },
  };
}

function contentOf(type: Operation['type'], schema: Operation['yes'][1]) {
  const content = {
    ...(schema ? { 'application/json': { schema } } : {}),
    ...(type ? { [type]: { schema: { type: 'string' } } } : {}),
  };
  return Object.keys(content).length > 0 ? { content } : {};
}

const inPath = (path: string) =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));

const inQuery = (query: Readonly<Record<string, string>>) =>
  Object.entries(query).map(([name, description]) => ({ name, in: 'query', description, schema: { type: 'string' } }));
