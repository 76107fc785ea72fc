/** The operations in an OpenAPI description of the NVR (SPEC 15). Pure. */

import { isRecord, type JsonRecord } from '../../domain/json.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import { memberOf } from '../recorder-layout.ts';
import type { OpenApiOperation } from './policy-drift.ts';

export interface DescribedApi {
  /** The version that the description gives itself. */
  readonly version: string | undefined;
  /** The path below which clients see the operations. */
  readonly prefix: string;
  readonly operations: readonly OpenApiOperation[];
}

const METHODS = ['get', 'put', 'post', 'delete', 'patch'] as const;

/** Errs with why it is none. */
export function operationsOf(description: unknown): Result<DescribedApi, string> {
  const paths = memberOf(description, 'paths');
  if (memberOf(description, 'openapi') === undefined || !isRecord(paths))
    return err('is no OpenAPI description: it has no "openapi" and "paths"');
  const isWhole = Object.keys(paths).some((path) => path.startsWith(`${PREFIX}/`));
  const prefix = isWhole ? '' : prefixOf(description);
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = memberOf(item, method);
      if (!isRecord(operation)) return [];
      const written = [...listOf(memberOf(item, 'parameters')), ...listOf(operation['parameters'])];
      const parameters = written.map((each) => resolved(each, description)).filter(isRecord);
      const [plain = '', query = ''] = path.split('?', 2);
      return [
        {
          method: method.toUpperCase(),
          path: `${prefix}${plain}`,
          parameters: [...new Set([...queryNames(parameters), ...new URLSearchParams(query).keys()])],
          body: bodyNames(operation, description),
        },
      ];
    }),
  );
  const version = memberOf(memberOf(description, 'info'), 'version');
  return ok({
    version: typeof version === 'string' ? version : undefined,
    prefix: PREFIX,
    operations: joined(operations),
  });
}

/** Some descriptions have a path once for each query that it takes: `/offers?src={src}`, `/offers?dst={dst}`. */
function joined(operations: readonly OpenApiOperation[]): readonly OpenApiOperation[] {
  const byRoute = new Map<string, OpenApiOperation>();
  for (const operation of operations) {
    const route = `${operation.method} ${operation.path}`;
    const known = byRoute.get(route);
    const parameters = [...new Set([...(known?.parameters ?? []), ...operation.parameters])];
    byRoute.set(route, { ...operation, parameters, body: known?.body ?? operation.body });
  }
  return [...byRoute.values()];
}

/** Where the NVR's web server has its API. */
const PREFIX = '/api';

function prefixOf(description: unknown): string {
  const [server] = listOf(memberOf(description, 'servers'));
  const url = server?.['url'];
  const path = typeof url === 'string' ? url.replace(/^[a-z]+:\/\/[^/]*/i, '').replace(/\/$/, '') : '';
  return path === '' ? PREFIX : path;
}

const listOf = (value: unknown): readonly JsonRecord[] => (Array.isArray(value) ? value.filter(isRecord) : []);

const queryNames = (parameters: readonly JsonRecord[]): readonly string[] => [
  ...new Set(parameters.filter((each) => each['in'] === 'query').map(({ name }) => String(name))),
];

/** `ids`, `items[].camera`: members of the JSON body, as deep as rows of the route table read them. Undefined without one. */
function bodyNames(operation: JsonRecord, description: unknown): readonly string[] | undefined {
  const content = memberOf(resolved(operation['requestBody'], description), 'content');
  const schema = memberOf(memberOf(content, 'application/json'), 'schema');
  if (schema === undefined) return undefined;
  const names = membersOf(schema, description).flatMap(([name, member]) => {
    const elements = membersOf(elementOf(member, description), description);
    return [name, ...elements.map(([inner]) => `${name}[].${inner}`)];
  });
  return [...new Set(names)];
}

/** Parts of a schema that hold together, or one of which holds. */
const JOINED = ['allOf', 'anyOf', 'oneOf'] as const;
/** A description may refer to itself. */
const DEEPEST = 8;

/** A schema with all that it is joined of. */
function partsOf(schema: unknown, description: unknown, depth = 0): readonly unknown[] {
  if (depth > DEEPEST) return [];
  const here = resolved(schema, description);
  const joined = JOINED.flatMap((word) => listOf(memberOf(here, word)));
  return [here, ...joined.flatMap((part) => partsOf(part, description, depth + 1))];
}

const membersOf = (schema: unknown, description: unknown): readonly (readonly [string, unknown])[] =>
  partsOf(schema, description).flatMap((part) => {
    const properties = memberOf(part, 'properties');
    return isRecord(properties) ? Object.entries(properties) : [];
  });

const elementOf = (schema: unknown, description: unknown): unknown =>
  partsOf(schema, description)
    .map((part) => memberOf(part, 'items'))
    .find((items) => items !== undefined);

const REFERENCE = /^#\/(?<path>.+)$/;

function resolved(value: unknown, description: unknown): unknown {
  let found = value;
  for (let depth = 0; depth < DEEPEST; depth += 1) {
    const reference = memberOf(found, '$ref');
    const path = typeof reference === 'string' ? REFERENCE.exec(reference)?.groups?.['path'] : undefined;
    if (path === undefined) return found;
    found = path.split('/').reduce<unknown>(memberOf, description);
  }
  return undefined;
}
