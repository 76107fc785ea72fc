/** The NVR's operations, as its own description lists them, that the route table does not know (SPEC 15). */
import { operationsOf } from '../access/review/openapi-operations.ts';
import { policyDrift } from '../access/review/policy-drift.ts';
import type { PolicyRow } from '../domain/policy.ts';

export interface OperationDrift {
  /** `GET /api/new_thing/{id}`. In order, a bounded number. */
  readonly unknown: readonly string[];
  readonly unknownCount: number;
}

const MOST_TOLD = 100;
const LONGEST_TOLD = 200;

/** `openApi` is the NVR's description of itself; undefined when it is none. */
export function operationDrift(openApi: unknown, rows: readonly PolicyRow[]): OperationDrift | undefined {
  const described = operationsOf(openApi);
  if (!described.ok) return undefined;
  const { unknown } = policyDrift(rows, described.value.operations, described.value.prefix);
  const told = unknown.map(({ operation }) => operation.slice(0, LONGEST_TOLD)).sort();
  return { unknown: told.slice(0, MOST_TOLD), unknownCount: told.length };
}
