/** The configuration with the route table that it names: what the service starts with, and reads again (SPEC 1, reload). */
import type { PolicyRow } from '../routes/policy-row.ts';
import { type ConfigPlace, type LoadedConfig, loadConfig, type RefusedConfig } from './load-config.ts';
import { type LoadedPolicy, loadPolicy } from './policy/load-policy.ts';
import type { TableHead } from './policy/table-head.ts';
import { about, type Finding, formatProblem } from './problems/problems.ts';
import type { Settings } from './schema/schema.ts';

export interface ServiceConfig extends Omit<LoadedConfig, 'warnings'> {
  /** The rows of `nvr.policy`, with Postern's own before them. */
  readonly policy: readonly PolicyRow[];
  /** What the route table says of the NVR. */
  readonly tableHead: TableHead;
  /** The files of the route table as they were read. */
  readonly policyTexts: ReadonlyMap<string, string>;
  /** A sentence each, with place and key. */
  readonly warnings: readonly string[];
  readonly files: readonly string[];
}

export type InvalidConfig = Omit<RefusedConfig, 'warnings'> &
  Pick<ServiceConfig, 'files'> &
  Partial<Pick<ServiceConfig, 'warnings'>>;

/** `files`: every file that was looked for. A change of one of them is a reason to reload. */
export type ServiceConfigOutcome = ServiceConfig | InvalidConfig;

export async function loadServiceConfig(place: Omit<ConfigPlace, 'onFile'>): Promise<ServiceConfigOutcome> {
  const looked = new Set<string>();
  const onFile = (file: string): void => void looked.add(file);
  const config = await loadConfig({ ...place, onFile });
  const warnings = (config.warnings ?? []).map((problem) => formatProblem(config.file, problem));
  if (config.kind === 'invalid') {
    const { readable } = config;
    const table = readable && (await loadPolicy(readable.nvr.policy, place.directory, onFile));
    const problems = [...config.problems, ...(table?.kind === 'invalid' ? table.problems : [])];
    return { ...config, problems, warnings, files: [...looked] };
  }
  const { settings, namedFiles, placed, file } = config;
  if (settings.nvr.ca !== undefined) onFile(settings.nvr.ca);
  const policy = await loadPolicy(settings.nvr.policy, place.directory, onFile);
  const files = [...looked];
  const read = { readable: settings, namedFiles, warnings, file, files };
  if (policy.kind === 'invalid') return { ...policy, ...read };
  const problems = unstripped(settings, policy).map(placed);
  if (problems.length > 0) return { kind: 'invalid', problems, ...read };
  warnings.push(...tableWarnings(settings, policy).map((finding) => formatProblem(file, placed(finding))));
  const { rows, head: tableHead, texts: policyTexts } = policy;
  return { ...config, policy: rows, tableHead, policyTexts, warnings, files };
}

/** A server that is sent a path with its prefix reads another camera's name there. */
const unstripped = ({ nvr }: Settings, { head }: LoadedPolicy): readonly Finding[] =>
  nvr.routes
    .filter(({ prefix, upstream }) => head.stripped?.includes(prefix) && upstream.below === undefined)
    .map(({ prefix }) => ({
      path: ['nvr', 'routes', prefix],
      message: `the server at ${prefix} does not know this prefix: write {url: http://host:port, strip: true}`,
    }));

/** A prefix of the table without a server, and a table that lets roles see cameras without saying which there are. */
const tableWarnings = ({ nvr }: Settings, { rows, head }: LoadedPolicy): readonly Finding[] => [
  ...(head.stripped ?? [])
    .filter((prefix) => !nvr.routes.some((route) => route.prefix === prefix))
    .map((prefix) => ({
      path: ['nvr', 'routes'],
      message: `names no server for ${prefix}, so that requests below it go to nvr.url: add ${JSON.stringify(prefix)}: {url: http://host:port, strip: true}`,
    })),
  ...about(
    ['nvr', 'policy'],
    nvr.url !== undefined &&
      nvr.cameras === undefined &&
      !head.cameras &&
      rows.some((row) => !row.own && row.cameras) &&
      `${JSON.stringify(nvr.policy)} does not say where the NVR lists its cameras, so custom roles see none: add "cameras" to the head of the table, or name the cameras in nvr.cameras`,
  ),
];
