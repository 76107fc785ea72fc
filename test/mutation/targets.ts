/** The modules that decide and rewrite, and the tests that must notice when one of them is broken. */
export interface Target {
  readonly file: string;
  /** Fast ones first: the next one runs only for what those before it do not notice. */
  readonly tests: readonly string[];
}

const decision = (name: string, ...more: readonly string[]): Target => ({
  file: `src/gateway/decision/${name}.ts`,
  tests: [`test/gateway/decision/${name}.test.ts`, ...more],
});

// biome-ignore format: a table
export const TARGETS: readonly Target[] = [
  decision('admit'),
  decision('csrf', 'test/gateway/decision/admit.test.ts'),
  { file: 'src/domain/addresses.ts', tests: ['test/domain/client-address.test.ts', 'test/gateway/decision/csrf.test.ts'] },
  decision('query-bounds'),
  { file: 'src/gateway/decision/strict-target.ts',   tests: ['test/gateway/decision/strict-target.test.ts', 'test/attacks/framing.test.ts'] },
  { file: 'src/access/authorize.ts',                 tests: ['test/access/authorize.test.ts', 'test/access/thing-paths.test.ts', 'test/policy/vod-paths.test.ts', 'test/policy/history-since.test.ts', 'test/attacks/links.test.ts', 'test/policy/walk.test.ts'] },
  { file: 'src/access/query.ts',                     tests: ['test/access/authorize.test.ts', 'test/access/camera-locators.test.ts', 'test/access/narrow-page.test.ts'] },
  { file: 'src/access/within-view.ts',               tests: ['test/access/authorize.test.ts', 'test/access/narrow-page.test.ts', 'test/policy/walk.test.ts'] },
  { file: 'src/access/within-time.ts',               tests: ['test/access/authorize.test.ts', 'test/policy/history-since.test.ts'] },
  { file: 'src/access/camera-locators.ts',           tests: ['test/access/camera-locators.test.ts', 'test/access/authorize.test.ts', 'test/gateway/decision/admit.test.ts', 'test/access/listed-cameras.test.ts', 'test/policy/mediamtx-table.test.ts', 'test/policy/path-tricks.test.ts'] },
  { file: 'src/nvr/frigate/frigate.ts',                  tests: ['test/access/authorize.test.ts', 'test/policy/vod-paths.test.ts'] },
  { file: 'src/domain/json.ts',                tests: ['test/domain/json.test.ts', 'test/access/narrow-response.test.ts'] },
  { file: 'src/gateway/forward/judged-request.ts',  tests: ['test/gateway/rewrite-headers.test.ts', 'test/gateway/forward.test.ts', 'test/attacks/forged-identity.test.ts'] },
  { file: 'src/identity/role-mapping.ts',            tests: ['test/identity/role-mapping.test.ts', 'test/spec/05-5-upstream-proxy.test.ts'] },
];
