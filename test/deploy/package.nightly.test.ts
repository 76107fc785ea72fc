/** `npm run pack`: the package starts from below node_modules, where Node strips no types, with its pages built. */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { TAGS } from '../../src/locales/compile-catalogs.ts';
import { freePorts } from '../support/servers/free-port.ts';
import { ROOT } from './support/compose.ts';
import { languagesIn } from './support/languages-in.ts';

describe('The package', { timeout: 300_000 }, () => {
  const directory = mkdtempSync(join(tmpdir(), 'postern-package-'));
  const installed = join(directory, 'lib/node_modules/postern');
  before(() => {
    execFileSync(process.execPath, [join(ROOT, 'deploy/npm/make-package.ts'), directory], { stdio: 'ignore' });
    const [tarball = ''] = globSync('*.tgz', { cwd: directory });
    execFileSync('tar', ['xzf', join(directory, tarball), '-C', directory]);
    mkdirSync(join(directory, 'lib/node_modules'), { recursive: true });
    renameSync(join(directory, 'package'), installed);
    symlinkSync(join(ROOT, 'node_modules'), join(installed, 'node_modules')); // what npm would fetch
  });
  after(() => rmSync(directory, { recursive: true }));

  it('holds what runs, and nothing of how it is made', () => {
    const files = globSync('**/*', { cwd: installed, withFileTypes: true, exclude: ['node_modules'] });
    const names = files.filter((file) => file.isFile()).map(({ name }) => name);
    assert.deepEqual(
      names.filter((name) => /\.(?:tsx?|map)$|\.test\./.test(name)),
      [],
    );
    for (const path of ['dist/ui/login.html', 'conf/container.yaml', 'bundle/main.js', 'trusted-headers/README.md'])
      assert.ok(existsSync(join(installed, path)), path);
  });

  it('holds the texts of all languages, compiled', () => {
    assert.deepEqual(languagesIn(installed), TAGS);
    const imports = globSync('bundle/*.js', { cwd: installed }).map((file) =>
      readFileSync(join(installed, file), 'utf8'),
    );
    assert.doesNotMatch(imports.join('\n'), /from "(?:@messageformat|make-plural)\b/);
  });

  it('loads each part that is loaded late, whatever was loaded before', () => {
    const cwd = join(installed, 'bundle');
    const texts = globSync('*.js', { cwd }).map((file) => readFileSync(join(cwd, file), 'utf8'));
    const late = new Set([...texts.join('\n').matchAll(/\bimport\("(?<what>[^"]+)"\)/g)].map(([, what = '']) => what));
    assert.ok(late.has('@simplewebauthn/server'), 'passkeys are verified by it');
    for (const what of late) {
      if (what.startsWith('./x509')) continue; // certificates.ts loads what it needs before
      const words = ['--input-type=module', '--eval', `await import(${JSON.stringify(what)}); process.exit(0);`];
      const { status, stderr } = spawnSync(process.execPath, words, { cwd, encoding: 'utf8' });
      assert.equal(status, 0, `${what}: ${stderr}`);
    }
  });

  it('names no package that the project does not, and none that only making it needs', () => {
    const [made, own] = [installed, ROOT].map((place) => JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')));
    assert.deepEqual(made.dependencies, own.dependencies);
    assert.deepEqual([made.devDependencies, made.scripts, made.private], [undefined, undefined, undefined]);
  });

  it('says on an older Node that a newer one is needed', () => {
    const pretend = "Object.defineProperty(process.versions, 'node', { value: '20.20.2' })";
    const preload = `data:text/javascript,${encodeURIComponent(pretend)}`;
    const words = ['--import', preload, join(installed, 'bundle/main.js'), 'serve'];
    const { status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
    assert.equal(status, 1);
    assert.match(stderr, /^Postern needs Node 24\.18\.1 or newer and this is v\S+: install a newer Node\.\n$/);
  });

  it('has the name and the repository that a release gives it', () => {
    const target = mkdtempSync(join(directory, 'named-'));
    const env = {
      ...process.env,
      NPM_PACKAGE: '@example/postern',
      REPOSITORY_URL: 'git+https://example.com/postern.git',
    };
    execFileSync(process.execPath, [join(ROOT, 'deploy/npm/make-package.ts'), target], { stdio: 'ignore', env });
    const packed = execFileSync('tar', [
      'xzOf',
      join(target, globSync('*.tgz', { cwd: target })[0] ?? ''),
      'package/package.json',
    ]);
    const { name, repository } = JSON.parse(packed.toString());
    assert.deepEqual(
      [name, repository],
      ['@example/postern', { type: 'git', url: 'git+https://example.com/postern.git' }],
    );
  });

  it('starts, with the events backend, its threads and the pages', async () => {
    const [external, internal, telemetry] = await freePorts(3);
    const env = {
      PATH: process.env['PATH'],
      POSTERN__SERVER__EXTERNAL: `127.0.0.1:${external}`,
      POSTERN__SERVER__INTERNAL: `127.0.0.1:${internal}`,
      POSTERN__SERVER__TELEMETRY: `127.0.0.1:${telemetry}`,
    };
    const child = spawn(
      process.execPath,
      [join(installed, 'bundle/main.js'), '--config-dir', join(directory, 'config')],
      {
        env,
      },
    );
    let said = '';
    const ready = new Promise<void>((resolve, reject) => {
      child.once('exit', () => reject(new Error(said)));
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk) => {
          said += chunk;
          if (/Password: +\w+/.test(said)) resolve();
        });
    });
    await ready;
    const page = await fetch(`http://127.0.0.1:${external}/login`);
    assert.deepEqual([page.status, (await page.text()).includes('/postern/assets/')], [200, true]);
    const events = await fetch(`http://127.0.0.1:${internal}/api/events?limit=1`);
    assert.equal(((await events.json()) as unknown[]).length, 1);
    child.kill('SIGTERM');
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  });
});
