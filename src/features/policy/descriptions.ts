/** What the commands work on: the route table beside the description that an NVR gives of its API, from a file, an address or the NVR (SPEC 15, 20). */
import { readFile } from 'node:fs/promises';
import type { CommandPlace } from '../../config/load-config.ts';
import { formatProblems } from '../../config/problems/problems.ts';
import { readYaml } from '../../config/problems/read-yaml.ts';
import { loadServiceConfig, type ServiceConfig } from '../../config/service-config.ts';
import { err, faultMessage, ok, type Result } from '../../domain/result.ts';
import { createAsker, upstreamOfNvr } from '../../gateway/forward/nvr-questions.ts';
import { createBoundedFetch } from '../../outbound/bounded-fetch.ts';
import { firstTable } from './first-table.ts';
import { type DescribedApi, listOperations } from './openapi-operations.ts';
import { type Drift, policyDrift } from './policy-drift.ts';

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
  const described =
    description === undefined
      ? await askNvr(config).catch((fault: unknown) => err(`the NVR did not answer: ${faultMessage(fault)}`))
      : describedIn(description, below ?? tableHead.openapi?.below);
  if (!described.ok) return described;
  const { version, prefix, operations } = described.value;
  return ok({ nvr: version, table: tableHead.nvr, ...policyDrift(policy, operations, prefix) });
}

/** Errs with a sentence, and rejects when the NVR does not answer. */
async function askNvr({ settings, tableHead }: ServiceConfig): Promise<Result<DescribedApi, string>> {
  const { path, below } = tableHead.openapi ?? {};
  if (!settings.nvr.url) return err('nvr.url is not set: name a file with the description of the NVR');
  const upstream = path === undefined ? undefined : upstreamOfNvr(settings, path);
  if (!upstream || path === undefined)
    return err("this NVR does not serve a description of itself: name a file with it, from the NVR's source");
  const description = await createAsker(settings)(upstream, path);
  if (description === undefined) return err(`the NVR has no ${path}: save its description to a file, and name that`);
  return listOperations(description, below);
}

/** A description of an NVR has some hundred kilobytes. */
const BOUNDS = { seconds: 30, bytes: 16 * 1024 * 1024 };

/**
 * `source`: a file or an http(s) address of an OpenAPI description, in JSON or YAML; `below`: where clients see the described
 * paths. Gives the text of a route table that lets only admins in. Errs with a sentence.
 */
export async function makeFirstTable(source: string, below: string | undefined): Promise<Result<string, string>> {
  const text = await textAt(source).then(ok, (fault: unknown) =>
    err(`${source} cannot be read: ${faultMessage(fault)}`),
  );
  if (!text.ok) return text;
  const described = describedIn(text.value, below);
  return described.ok ? ok(firstTable(described.value)) : err(`${source} ${described.error}`);
}

async function textAt(source: string): Promise<string> {
  if (!/^https?:\/\//i.test(source)) return readFile(source, 'utf8');
  const response = await createBoundedFetch(BOUNDS)(source);
  if (response.status !== 200) throw new Error(`it was answered with status ${response.status}`);
  return response.text();
}

/** The operations in the text of an OpenAPI description. Errs with what is wrong with the text. */
function describedIn(text: string, below?: string): Result<DescribedApi, string> {
  const tree = parseTree(text);
  return tree.ok ? listOperations(tree.value, below) : tree;
}

function parseTree(text: string): Result<unknown, string> {
  try {
    return ok(JSON.parse(text));
  } catch {
    const yaml = readYaml(text);
    if (yaml.ok) return ok(yaml.value.tree);
    const [first] = yaml.error;
    return err(`is neither JSON nor YAML: line ${first?.line ?? 1}: ${first?.message ?? ''}`);
  }
}
