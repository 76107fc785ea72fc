/** What the commands work on: the route table beside the description that an NVR gives of its API, from a file, an address or the NVR (SPEC 15, 20). */
import { readFile } from 'node:fs/promises';
import type { CommandPlace } from '../../config/load-config.ts';
import { formatProblems } from '../../config/problems/problems.ts';
import { readYaml } from '../../config/problems/read-yaml.ts';
import { loadServiceConfig, type ServiceConfig } from '../../config/service-config.ts';
import { parsedJson } from '../../domain/json.ts';
import { faultMessage } from '../../domain/result.ts';
import { createAsker, upstreamOfNvr } from '../../gateway/forward/nvr-questions.ts';
import { createBoundedFetch } from '../../outbound/bounded-fetch.ts';
import { firstTable } from './first-table.ts';
import { type DescribedApi, listOperations } from './openapi-operations.ts';
import { policyDrift } from './policy-drift.ts';

export type PolicyReview = Awaited<ReturnType<typeof reviewPolicy>>;

/**
 * `description`: the text of an OpenAPI file; undefined: the running NVR is asked. `below`: where clients see the described
 * paths; undefined: as the route table says. Rejects with a sentence, or with every problem of the configuration.
 */
export async function reviewPolicy(place: CommandPlace, description: string | undefined, below: string | undefined) {
  const config = await loadServiceConfig({ ...place, whenMissing: 'read' });
  if (config.kind === 'invalid') throw new Error(formatProblems(config.file, config.problems));
  const { policy, tableHead } = config;
  const { version, prefix, operations } =
    description === undefined
      ? await askNvr(config)
      : await describedIn(description, below ?? tableHead.openapi?.below);
  /** `nvr`: the version that the description gives itself. `table`: the release that the route table was made for. */
  return { nvr: version, table: tableHead.nvr, ...policyDrift(policy, operations, prefix) };
}

async function askNvr({ settings, tableHead }: ServiceConfig): Promise<DescribedApi> {
  const { path, below } = tableHead.openapi ?? {};
  if (!settings.nvr.url) throw new Error('nvr.url is not set: name a file with the description of the NVR');
  const upstream = path === undefined ? undefined : upstreamOfNvr(settings, path);
  if (!upstream || path === undefined)
    throw new Error("this NVR does not serve a description of itself: name a file with it, from the NVR's source");
  const description = await createAsker(settings)(upstream, path).catch(behind('the NVR did not answer:'));
  if (description === undefined)
    throw new Error(`the NVR has no ${path}: save its description to a file, and name that`);
  return listOperations(description, below);
}

/** A description of an NVR has some hundred kilobytes. */
const BOUNDS = { seconds: 30, bytes: 16 * 1024 * 1024 };

/**
 * `source`: a file or an http(s) address of an OpenAPI description, in JSON or YAML; `below`: where clients see the described
 * paths. Gives the text of a route table that lets only admins in. Rejects with a sentence.
 */
export async function makeFirstTable(source: string, below: string | undefined): Promise<string> {
  const text = await textAt(source).catch(behind(`${source} cannot be read:`));
  return firstTable(await describedIn(text, below).catch(behind(source)));
}

/** The fault in a sentence that begins so. */
const behind = (words: string) => (fault: unknown) => {
  throw new Error(`${words} ${faultMessage(fault)}`);
};

async function textAt(source: string): Promise<string> {
  if (!/^https?:\/\//i.test(source)) return readFile(source, 'utf8');
  const response = await createBoundedFetch(BOUNDS)(source);
  if (response.status !== 200) throw new Error(`it was answered with status ${response.status}`);
  return response.text();
}

/** The operations in the text of an OpenAPI description. Rejects with what is wrong with the text. */
const describedIn = async (text: string, below?: string): Promise<DescribedApi> =>
  listOperations(parseTree(text), below);

function parseTree(text: string): unknown {
  const json = parsedJson(text);
  if (json !== undefined) return json;
  const yaml = readYaml(text);
  if (yaml.ok) return yaml.value.tree;
  const [first] = yaml.error;
  throw new Error(`is neither JSON nor YAML: line ${first?.line ?? 1}: ${first?.message ?? ''}`);
}
