/** `.github`: workflows that actionlint takes, with pinned actions and few rights; forms; the notes of a release. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { releaseNotes } from '../../deploy/release/release-notes.ts';
import { ROOT } from './support/compose.ts';

/** Elsewhere than on the PATH in CI. */
const ACTIONLINT = process.env['ACTIONLINT'] ?? 'actionlint';
const isMissing = spawnSync(ACTIONLINT, ['--version'], { stdio: 'ignore' }).error
  ? `${ACTIONLINT} is not installed`
  : false;

interface Step {
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly run?: string;
}
interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly 'timeout-minutes'?: number;
  readonly uses?: string;
  readonly steps?: readonly Step[];
}
interface Workflow {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const FILES = ['ci', 'codeql', 'release', 'scorecard'].map((name) => `.github/workflows/${name}.yml`);
const jobsOf = (file: string) => Object.entries((parse(read(file)) as Workflow).jobs);
const stepsOf = (file: string): readonly Step[] => jobsOf(file).flatMap(([, { steps = [] }]) => steps);
/** What a job may write, for what only it does. */
const WRITES: Readonly<Record<string, readonly string[]>> = {
  analyze: ['security-events'],
  analysis: ['security-events', 'id-token'],
  image: ['packages', 'id-token'],
  npm: ['id-token'],
  release: ['contents', 'id-token'],
};

describe('The workflows', () => {
  it('are the four, and actionlint finds nothing', { skip: isMissing }, () => {
    const found = globSync('.github/workflows/*', { cwd: ROOT });
    assert.deepEqual(found.sort(), FILES);
    const { status, stdout } = spawnSync(ACTIONLINT, ['-shellcheck=', '-pyflakes=', '-no-color', ...FILES], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    assert.deepEqual([status, stdout], [0, '']);
  });

  for (const file of FILES) {
    it(`${file} pins actions by the hash of a commit, with the version beside it`, () => {
      const lines = read(file)
        .split('\n')
        .filter((line) => /\buses:/.test(line) && !line.includes('uses: ./'));
      for (const line of lines) assert.match(line, /uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
      for (const { uses = '', with: options } of stepsOf(file))
        if (uses.startsWith('actions/checkout@')) assert.equal(options?.['persist-credentials'], false);
    });

    it(`${file} may read, and each job writes only what it makes`, () => {
      const { permissions = {} } = parse(read(file)) as Workflow;
      assert.ok(Object.entries(permissions).every(([of, what]) => of === 'contents' && what === 'read'));
      for (const [name, job] of jobsOf(file)) {
        const written = Object.entries(job.permissions ?? {}).flatMap(([of, what]) => (what === 'write' ? [of] : []));
        assert.deepEqual(written, WRITES[name] ?? [], name);
        if (job.uses === undefined) assert.ok((job['timeout-minutes'] ?? 360) <= 45, name);
        else assert.ok(existsSync(join(ROOT, job.uses)), job.uses);
      }
    });

    it(`${file} writes nothing that a stranger chose into a script`, () => {
      for (const { run = '' } of stepsOf(file)) assert.doesNotMatch(run, /\$\{\{/);
    });
  }

  it('run on the Node of .node-version', () => {
    for (const { uses = '', with: options } of FILES.flatMap(stepsOf))
      if (uses.startsWith('actions/setup-node@')) assert.equal(options?.['node-version-file'], '.node-version');
  });

  it('check a change by .ci/run', () => assert.ok(stepsOf(FILES[0] ?? '').some(({ run }) => run === '.ci/run')));
});

describe('The forms of issues', () => {
  it('ask for what the service says of itself, and say what to take out of it', () => {
    const [bug, route] = ['bug', 'route'].map((name) => read(`.github/ISSUE_TEMPLATE/${name}.yml`));
    for (const asked of ['postern doctor', 'postern explain', 'take out', 'pst_', 'SECURITY.md'])
      assert.ok(bug?.includes(asked), asked);
    for (const asked of ['Method and path', 'postern policy diff', 'Without cookies'])
      assert.ok(route?.includes(asked), asked);
    for (const form of [bug, route]) {
      const { name, description, body } = parse(form ?? '') as Record<string, unknown> & { body: { type: string }[] };
      assert.ok(name && description);
      for (const { type } of body) assert.match(type, /^(?:markdown|textarea|input|dropdown)$/);
    }
  });
});

describe('The notes of a release', () => {
  const changelog =
    '# Changelog\n\n## Unreleased\n\n- later\n\n## 1.2.0 (2030-01-02)\n\n### Added\n\n- it\n\n## 1.1.0 (2029-01-02)\n';

  it('are the section of its version', () =>
    assert.equal(releaseNotes('v1.2.0', '1.2.0', changelog), '### Added\n\n- it\n'));

  it('are refused for another tag, and without a section', () => {
    assert.throws(() => releaseNotes('v1.2.1', '1.2.0', changelog), /the tag must be v1\.2\.0/);
    assert.throws(() => releaseNotes('v1.3.0', '1.3.0', changelog), /no section "## 1\.3\.0/);
  });

  it('are there for the version of today', () => {
    const { version } = JSON.parse(read('package.json'));
    assert.match(releaseNotes(`v${version}`, version, read('CHANGELOG.md')), /### /);
  });
});
