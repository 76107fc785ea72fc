/** The steps of the Dockerfile, done as plain commands: what it copies starts, unprivileged, from a tree that may not be written. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { BUNDLE } from '../../src/build-server.ts';
import { TAGS } from '../../src/locales/compile-catalogs.ts';
import { freePorts } from '../support/servers/free-port.ts';
import { ROOT } from './support/compose.ts';
import { pairsOf, readDockerfile, type Stage } from './support/dockerfile.ts';
import { languagesIn } from './support/languages-in.ts';

const NOBODY = 65_534;
/** Bytes: node_modules of the image was 27 MB when this was written. */
const MOST_PACKAGES = 40e6;

const stage = (name: string): Stage => readDockerfile().find((each) => each.name === name) ?? assert.fail(name);

describe('The image', { timeout: 300_000 }, () => {
  const root = mkdtempSync(join(tmpdir(), 'postern-image-'));
  const [packages, app] = [join(root, 'packages'), join(root, 'app')];
  const last = stage('');

  /** What "npm ci" of that stage installs, from what is installed here. */
  function installPackages(): void {
    const words = ['ls', '--omit=dev', '--omit=optional', '--all', '--parseable'];
    const listed = execFileSync('npm', words, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    const places = listed
      .trim()
      .split('\n')
      .filter((place) => place.includes('node_modules'));
    for (const place of places) {
      const own = (file: string): boolean => !relative(place, file).includes('node_modules');
      cpSync(place, join(packages, relative(ROOT, place)), { recursive: true, filter: own });
    }
    for (const file of ['package.json', 'package-lock.json']) cpSync(join(ROOT, file), join(packages, file));
  }

  function copy(rest: string): void {
    const words = rest.split(/\s+/);
    const from = words[0]?.startsWith('--from=') ? words.shift()?.slice('--from='.length) : undefined;
    const target = words.pop() ?? '';
    const into = target.startsWith('/') ? join(root, target) : join(app, target);
    for (const word of words) {
      const source =
        from === 'packages' ? join(packages, word.replace('/build/', '')) : join(ROOT, word.replace('/build/', ''));
      cpSync(source, target.endsWith('/') ? join(into, basename(source)) : into, { recursive: true, filter: isSent });
    }
  }

  /** By .dockerignore; and of dist, only the pages are built in that stage. */
  const isSent = (file: string): boolean => !file.startsWith(join(ROOT, 'dist/package'));

  before(() => {
    execFileSync(process.execPath, [join(ROOT, 'src/build-server.ts')]);
    installPackages();
    for (const { verb, rest } of stage('packages').steps)
      if (verb === 'RUN' && !rest.startsWith('npm ci'))
        execFileSync('sh', ['-c', rest], { cwd: packages, stdio: ['ignore', 'inherit', 'ignore'] });
    mkdirSync(app);
    for (const { verb, rest } of last.steps) if (verb === 'COPY') copy(rest);
    execFileSync('chmod', ['-R', 'a-w,a+rX', app]);
    execFileSync('chmod', ['a+rx', root]);
  });
  after(() => {
    execFileSync('chmod', ['-R', 'u+w', root]);
    rmSync(root, { recursive: true });
  });

  it('says what it is, in labels', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    const labels = pairsOf(last, 'LABEL');
    for (const name of ['title', 'description', 'licenses', 'revision'])
      assert.ok(labels[`org.opencontainers.image.${name}`], name);
    assert.equal(labels['org.opencontainers.image.version'], version);
  });

  it('holds a server in ASCII: of any other text Node makes two bytes for each character', () => {
    const texts = readdirSync(BUNDLE)
      .filter((name) => name.endsWith('.js'))
      .map((name) => readFileSync(join(BUNDLE, name), 'latin1'));
    assert.ok(texts.length > 50);
    assert.deepEqual(
      texts.flatMap((text) => text.match(/[^\0-\x7f]/g) ?? []),
      [],
    );
  });

  it('holds the texts of all languages, which its first stage makes of the sources', () => {
    const copied = stage('build').steps.flatMap(({ verb, rest }) => (verb === 'COPY' ? [rest] : []));
    assert.ok(copied.includes('src src'), copied.join('; '));
    assert.match(readFileSync(join(ROOT, '.dockerignore'), 'utf8'), /^!src$/m);
    assert.deepEqual(languagesIn(app), TAGS);
  });

  it('has Node alone of the image that brings npm, for its own architecture', () => {
    assert.equal(last.base, 'debian:bookworm-slim');
    const runs = last.steps.filter(({ verb }) => verb === 'RUN').map(({ rest }) => rest);
    const [mounting = '', ...others] = runs.filter((rest) => rest.includes('--mount'));
    assert.match(mounting, /^--mount=type=bind,from=node,\S+ install -m 0755 \S+\/node \/usr\/local\/bin\/node /);
    assert.deepEqual(others, []);
    assert.match(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'), /^FROM node:24-bookworm-slim AS node$/m);
    assert.doesNotMatch(runs.join(' '), /\bnpm\b|\bapt-get\b/);
    // The user of the files in volumes of earlier versions.
    assert.match(mounting, /groupadd --gid 1000 node && useradd --uid 1000 --gid node /);
  });

  it('runs as a user without rights', () =>
    assert.deepEqual(
      last.steps.filter(({ verb }) => verb === 'USER').map(({ rest }) => rest),
      ['node'],
    ));

  it('holds no tests, maps, declarations and packages that only making it needs', () => {
    const files = globSync('**/*', { cwd: app, withFileTypes: true }).filter((file) => file.isFile());
    assert.deepEqual(
      files.map(({ name }) => name).filter((name) => /\.(?:map|d\.[cm]?ts)$/.test(name)),
      [],
    );
    for (const name of ['vite', 'typescript', 'playwright-core', '@biomejs'])
      assert.ok(!existsSync(join(app, 'node_modules', name)), name);
    const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
    assert.ok(bytes < MOST_PACKAGES, `${bytes}`);
  });

  it('holds the list of its parts', () => {
    const list = JSON.parse(readFileSync(join(app, 'sbom.cdx.json'), 'utf8')) as {
      bomFormat: string;
      components: { name: string }[];
    };
    const names = list.components.map(({ name }) => name);
    assert.deepEqual([list.bomFormat, names.includes('koa'), names.includes('vite')], ['CycloneDX', true, false]);
  });

  it('makes its first start on a tree that may not be written, as nobody', async () => {
    const [external, internal, telemetry] = await freePorts(3);
    const config = join(root, 'config');
    mkdirSync(config, { mode: 0o700 });
    const isRoot = process.getuid?.() === 0;
    if (isRoot) chownSync(config, NOBODY, NOBODY);
    const set = Object.entries(pairsOf(last, 'ENV')).map(([name, value]) => [name, value.replace(/^\/app/, app)]);
    const env = {
      ...Object.fromEntries(set),
      POSTERN_CONFIG_DIR: config,
      POSTERN__SERVER__EXTERNAL: `127.0.0.1:${external}`,
      POSTERN__SERVER__INTERNAL: `127.0.0.1:${internal}`,
      POSTERN__SERVER__TELEMETRY: `127.0.0.1:${telemetry}`,
    };
    const [, ...flags] = JSON.parse(last.steps.find(({ verb }) => verb === 'ENTRYPOINT')?.rest ?? '[]') as string[];
    const words = flags.map((flag) => flag.replace(/^\/app/, app));
    const child = spawn(resolve(process.execPath), [...words, 'serve'], {
      env,
      cwd: dirname(app),
      ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
    while (!/Password: +\w+/.test(said) && child.exitCode === null)
      await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
    assert.equal(child.exitCode, null, said);
    assert.equal((await fetch(`http://127.0.0.1:${telemetry}/healthz`)).status, 200);
    const page = await fetch(`http://127.0.0.1:${internal}/login`);
    assert.match(await page.text(), /\/postern\/assets\//);
    child.kill('SIGTERM');
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  });
});
