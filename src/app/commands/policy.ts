/** What `postern policy diff` reviews: the route table beside the NVR's own description of its API (SPEC 15). */
import type { DescribedApi } from '../../access/review/openapi-operations.ts';
import { type Drift, policyDrift } from '../../access/review/policy-drift.ts';
import { formatProblems } from '../../config/problems/problems.ts';
import { loadServiceConfig, type ServiceConfig } from '../../config/service-config.ts';
import { messageOf } from '../../domain/message-of.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import { nvrDescription } from '../resources/upstreams.ts';
import type { CommandPlace } from './commands.ts';
import { describedIn } from './first-table.ts';

export interface PolicyReview extends Drift {
  /** The version that the description gives itself. */
  readonly nvr: string | undefined;
  /** The release that the route table was made for. */
  readonly table: string | undefined;
}

/**
 * `description`: the text of an OpenAPI file; undefined: the running NVR is asked. `below`: where clients see the described
 * paths; undefined: as the route table says. Errs with a sentence, or with every problem of the configuration.
 */
export async function reviewPolicy(
  place: CommandPlace,
  description: string | undefined,
  below: string | undefined,
): Promise<Result<PolicyReview, string>> {
  const config = await loadServiceConfig({ ...place, whenMissing: 'read' });
  if (config.kind === 'invalid') return err(formatProblems(config.file, config.problems));
  const { policy, tableHead } = config;
  const at = below ?? tableHead.openapi?.below;
  const described = description === undefined ? await askNvr(config) : describedIn(description, at);
  if (!described.ok) return described;
  const { version, prefix, operations } = described.value;
  return ok({ nvr: version, table: tableHead.nvr, ...policyDrift(policy, operations, prefix) });
}

const askNvr = (config: ServiceConfig): Promise<Result<DescribedApi, string>> =>
  nvrDescription(config).catch((fault: unknown) => err(`the NVR did not answer: ${messageOf(fault)}`));
