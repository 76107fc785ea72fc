/** The OpenAPI 3.1 description of Postern's own API, made of the declarations of its routes (SPEC 15). */

import { z } from 'zod';
import type { Services } from '../app/services.ts';
import { listOperations, type Operation, type OwnRoute, type RouteContext } from './own-route.ts';
import { ANY, REFUSAL, SHAPES } from './shapes.ts';

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

/** What is described of a route: its need, and what it takes and gives. */
type Described = Operation & Pick<OwnRoute<never>, 'route' | 'access'>;

/** Plain data. `version`: of Postern. */
export function openApiDocument(version: string, routes: readonly OwnRoute<never>[]) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes.filter((one): one is typeof one & Operation => one.summary !== undefined))
    for (const { method, path: written } of listOperations(route.route)) {
      const path = written.replace('...}', '}');
      paths[path] = { ...paths[path], [method.toLowerCase()]: described(path, route) };
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
      schemas: namedShapes(),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API token, or a session token' },
        session: { type: 'apiKey', in: 'cookie', name: 'frigate_token', description: 'Named by auth.cookie_name' },
      },
    },
  };
}

/** A malformed request; a store that does not answer. A bad credential, or too many of them. */
const ANYWHERE = [400, 503];
const NOT_LET_IN = [401, 403, 429];

function described(path: string, { summary, access, query = {}, body, yes, no = [], type }: Described) {
  const isPublic = access === 'public';
  const [status, shape] = yes;
  const good = { description: REASONS[status], ...describeContent(type, shape) };
  const refused = describeContent(type === 'text/html' ? type : undefined, REFUSAL);
  const bad = [...new Set([...ANYWHERE, ...no, ...(isPublic ? [] : NOT_LET_IN)])].sort();
  return {
    summary,
    security: isPublic ? [] : [{ bearer: [] }, { session: [] }],
    ...(access === 'admin' ? { description: 'For admins.' } : {}),
    parameters: [...inPath(path), ...inQuery(query)],
    ...(body ? { requestBody: { required: true, content: { 'application/json': { schema: toSchema(body) } } } } : {}),
    responses: {
      [status]: good,
      ...Object.fromEntries(bad.map((each) => [each, { description: REASONS[each], ...refused }])),
    },
  };
}

function describeContent(type: Operation['type'], shape: z.ZodType | undefined) {
  const content = {
    ...(shape ? { 'application/json': { schema: toSchema(shape) } } : {}),
    ...(type ? { [type]: { schema: { type: 'string' } } } : {}),
  };
  return Object.keys(content).length > 0 ? { content } : {};
}

const schemaAddress = (id: string): string => `#/components/schemas/${id}`;

/** A named shape is referred to, also as the element of a list. */
function toSchema(shape: z.ZodType): object {
  const id = SHAPES.get(shape)?.id;
  if (id !== undefined) return { $ref: schemaAddress(id) };
  if (shape instanceof z.ZodArray) return { type: 'array', items: toSchema(shape.element as z.ZodType) };
  return withoutFrame(z.toJSONSchema(shape, { io: 'input' }));
}

const namedShapes = (): Readonly<Record<string, object>> =>
  Object.fromEntries(
    Object.entries(z.toJSONSchema(SHAPES, { uri: schemaAddress, io: 'input', override: withoutBounds }).schemas).map(
      ([id, schema]) => [id, withoutFrame(schema)],
    ),
  );

const withoutFrame = ({ $schema: _, $id: __, ...schema }: Readonly<Record<string, unknown>>) => schema;

/** Every integer has the bounds of JavaScript, which tell the reader nothing. */
function withoutBounds({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
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

type DescriptionServices = Pick<Services, 'apiDescription'>;

// biome-ignore format: a table
export const OPENAPI_ROUTES: readonly OwnRoute<DescriptionServices>[] = [
  { route: 'GET /postern/api/openapi.json', access: 'any', compressed: true, summary: 'This description', yes: [200, ANY], handler: describe },
];

/** JSON. It tells of no account and no camera, so it is the same for every caller. */
function describe(ctx: RouteContext, { apiDescription }: DescriptionServices): void {
  ctx.set('Cache-Control', 'private, no-cache');
  ctx.type = 'application/json';
  ctx.body = apiDescription();
}
