/** The operations in an OpenAPI description of the NVR (SPEC 15). Pure. */

import { readMember } from '../../access/recorder-layout.ts';
import { isRecord, type JsonRecord } from '../../domain/json.ts';
import type { OpenApiOperation } from './policy-drift.ts';

export type DescribedApi = ReturnType<typeof listOperations>;

const METHODS = ['get', 'put', 'post', 'delete', 'patch'] as const;

/**
 * `below`: where the NVR's web server has the described paths, unless the description says so. Throws a sentence for what is no
 * description.
 */
export function listOperations(description: unknown, below = '') {
  const paths = readMember(description, 'paths');
  if (readMember(description, 'openapi') === undefined || !isRecord(paths))
    throw new Error('is no OpenAPI description: it has no "openapi" and "paths"');
  const isWhole = below !== '' && Object.keys(paths).some((path) => path.startsWith(`${below}/`));
  const prefix = isWhole ? '' : (pathOfServer(description) ?? below);
  const found = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method): readonly OpenApiOperation[] => {
      const operation = readMember(item, method);
      if (!isRecord(operation)) return [];
      const parameters = [...asRecords(readMember(item, 'parameters')), ...asRecords(operation['parameters'])];
      const names = queryNames(parameters.map((parameter) => resolved(parameter, description)));
      return [operationAt(`${prefix}${path}`, method, names, bodyNames(operation, description))];
    }),
  );
  const info = readMember(description, 'info');
  const [title, version] = ['title', 'version'].map((name) => asText(readMember(info, name)));
  /** `version`: as the description gives it itself. `prefix`: the path below which clients see the operations; empty: the root. */
  return { title, version, prefix: below, operations: merged(found) };
}

const asText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Undefined where the description names no server, or one at its root. */
function pathOfServer(description: unknown): string | undefined {
  const [server] = asRecords(readMember(description, 'servers'));
  const path = asText(server?.['url'])
    ?.replace(/^[a-z]+:\/\/[^/]*/i, '')
    .replace(/\/$/, '');
  return path === '' ? undefined : path;
}

/** Some descriptions write a query into the path: `/stream?src={src}`. */
function operationAt(
  written: string,
  method: string,
  parameters: readonly string[],
  body: OpenApiOperation['body'],
): OpenApiOperation {
  const [path = '', query = ''] = written.split('?', 2);
  const inPath = [...new URLSearchParams(query).keys()];
  return { method: method.toUpperCase(), path, parameters: [...new Set([...inPath, ...parameters])], body };
}

/** One operation for each method and path, with the parameters of all that are described. */
function merged(operations: readonly OpenApiOperation[]): readonly OpenApiOperation[] {
  const found = new Map<string, OpenApiOperation>();
  for (const operation of operations) {
    const key = `${operation.method} ${operation.path}`;
    const known = found.get(key);
    found.set(key, known ? both(known, operation) : operation);
  }
  return [...found.values()];
}

const both = (one: OpenApiOperation, other: OpenApiOperation): OpenApiOperation => ({
  ...one,
  parameters: [...new Set([...one.parameters, ...other.parameters])],
  body: one.body || other.body ? [...new Set([...(one.body ?? []), ...(other.body ?? [])])] : undefined,
});

const asRecords = (value: unknown): readonly JsonRecord[] => (Array.isArray(value) ? value.filter(isRecord) : []);

const queryNames = (parameters: readonly unknown[]): readonly string[] =>
  parameters.filter((each) => readMember(each, 'in') === 'query').map((each) => String(readMember(each, 'name')));

/** `ids`, `items[].camera`: members of the JSON body, as deep as rows of the route table read them. Undefined without one. */
function bodyNames(operation: JsonRecord, description: unknown): readonly string[] | undefined {
  const content = readMember(resolved(operation['requestBody'], description), 'content');
  const schema = readMember(readMember(content, 'application/json'), 'schema');
  if (schema === undefined) return undefined;
  const names = schemaMembers(schema, description).flatMap(([name, member]) => {
    const elements = schemaMembers(schemaElement(member, description), description);
    return [name, ...elements.map(([inner]) => `${name}[].${inner}`)];
  });
  return [...new Set(names)];
}

/** Parts of a schema that hold together, or one of which holds. */
const JOINED = ['allOf', 'anyOf', 'oneOf'] as const;
/** A description may refer to itself. */
const DEEPEST = 8;

/** A schema with all that it is joined of. */
function schemaParts(schema: unknown, description: unknown, depth = 0): readonly unknown[] {
  if (depth > DEEPEST) return [];
  const here = resolved(schema, description);
  const joined = JOINED.flatMap((word) => asRecords(readMember(here, word)));
  return [here, ...joined.flatMap((part) => schemaParts(part, description, depth + 1))];
}

const schemaMembers = (schema: unknown, description: unknown): readonly (readonly [string, unknown])[] =>
  schemaParts(schema, description).flatMap((part) => {
    const properties = readMember(part, 'properties');
    return isRecord(properties) ? Object.entries(properties) : [];
  });

const schemaElement = (schema: unknown, description: unknown): unknown =>
  schemaParts(schema, description)
    .map((part) => readMember(part, 'items'))
    .find((items) => items !== undefined);

const REFERENCE = /^#\/(?<path>.+)$/;

function resolved(value: unknown, description: unknown): unknown {
  let found = value;
  for (let depth = 0; depth < DEEPEST; depth += 1) {
    const reference = readMember(found, '$ref');
    const path = typeof reference === 'string' ? REFERENCE.exec(reference)?.groups?.['path'] : undefined;
    if (path === undefined) return found;
    found = path.split('/').reduce<unknown>(readMember, description);
  }
  return undefined;
}
