/** Reads and watches the allowlist file, and logs what is wrong with it and which mapped header it lacks (interface 5.5.7). */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Services } from '../app/services.ts';
import { formatProblem, type Problem } from '../config/problems/problems.ts';
import type { Settings } from '../config/schema/schema.ts';
import type { ServiceConfig } from '../config/service-config.ts';
import { ok, type Result } from '../domain/result.ts';
import {
  type MappingProblem,
  MOUNTED,
  mappingProblems,
  readTrustedHeaders,
  type TrustedHeaderList,
  type TrustedHeadersFiles,
  watchTrustedHeaders,
} from './trusted-headers-file.ts';

export type TrustedHeaders = Awaited<ReturnType<typeof openTrustedHeaders>>;

type PlacedConfig = Pick<ServiceConfig, 'settings' | 'file' | 'placed'>;

/** Interface 5.5.7: a file that is mounted there takes the place of the one that is shipped. */
export const TRUSTED_HEADERS_FILES: TrustedHeadersFiles = {
  mounted: MOUNTED,
  shipped: join(import.meta.dirname, '../../trusted-headers/proxy_trusted_headers.conf'),
};

/** Rejects with file and line when the list that is there is bad. */
export async function openTrustedHeaders(files: TrustedHeadersFiles, active: () => PlacedConfig, log: Services['log']) {
  const first = await readTrustedHeaders(files);
  if (!first.ok) throw new Error(first.error);
  let current = first.value;
  const uses: ((list: TrustedHeaderList) => void)[] = [];
  /** Which headers are mapped and not on the list: a sentence each, with place and key. */
  const warnings = ({ settings, file, placed }: PlacedConfig): readonly string[] =>
    problemsOf(settings, current).map((finding) => formatProblem(file, placed(finding)));
  const close = watchTrustedHeaders(files, current, {
    onChange(list) {
      current = list;
      for (const use of uses) use(list);
      log.info({ file: list.file, headers: list.names.size }, 'the list of trusted headers was reloaded');
      for (const warning of warnings(active())) log.warn(warning);
    },
    onBad: (problem) => log.error(`${problem}; the previous list stays in use`),
  });
  /** Those without which every request would be refused: a start and a reload end with them. */
  const problems = ({ settings, placed }: PlacedConfig): readonly Problem[] =>
    problemsOf(settings, current)
      .filter(({ isFatal }) => isFatal)
      .map(placed);
  return {
    current: (): TrustedHeaderList => current,
    warnings,
    problems,
    /** Calls back with every later list. */
    onChange: (use: (list: TrustedHeaderList) => void): void => void uses.push(use),
    close,
  };
}

/**
 * Lists, for `check`, the mappings of a configuration that are never believed, or what is wrong with the list itself, with its
 * line.
 */
export async function checkTrustedHeaders(
  mounted = TRUSTED_HEADERS_FILES.mounted,
): Promise<Result<(settings: Settings) => readonly MappingProblem[], string>> {
  const list = await readTrustedHeaders({ ...TRUSTED_HEADERS_FILES, mounted });
  return list.ok ? ok((settings) => problemsOf(settings, list.value)) : list;
}

/** The problems of mappings; none where headers are not believed at all. */
const problemsOf = ({ auth, proxy }: Settings, list: TrustedHeaderList): readonly MappingProblem[] =>
  auth.enabled || proxy.jwt ? [] : mappingProblems(proxy.header_map, list, readyFile);

/** The ready files of the project, each for one proxy. */
function readyFile(name: string): string | undefined {
  const folder = dirname(TRUSTED_HEADERS_FILES.shipped);
  const line = new RegExp(`^proxy_set_header ${name} `, 'im');
  const found = globSync('*.conf', { cwd: folder })
    .sort()
    .find((file) => line.test(readFileSync(join(folder, file), 'utf8')));
  return found && `trusted-headers/${found}`;
}
