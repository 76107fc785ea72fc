/** The operations in an OpenAPI description of the NVR (SPEC 15). Pure. */
import { err, ok, type Result } from '../../domain/result.ts';
import { isRecord, type JsonRecord, memberOf } from '../recorder-layout.ts';
import type { Operation } from './policy-drift.ts';

export interface DescribedApi {
  /** The version that the description gives itself. */
  readonly version: string | undefined;
  /** Below which clients see the operations. */
  readonly prefix: string;
  readonly operations: readonly Operation[];
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
      const parameters = [...listOf(memberOf(item, 'parameters')), ...listOf(operation['parameters'])];
      return [{ method: method.toUpperCase(), path: `${prefix}${path}`, parameters: queryNames(parameters) }];
    }),
  );
  const version = memberOf(memberOf(description, 'info'), 'version');
  return ok({ version: typeof version === 'string' ? version : undefined, prefix: PREFIX, operations });
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
