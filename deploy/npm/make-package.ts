/** `npm run pack`: a package that `npm install -g` takes. Node strips no types from files below node_modules, so the server is built. */
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { buildServer } from '../../src/build-server.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const STAGE = join(ROOT, 'dist/package');
const COPIED = ['conf', 'trusted-headers', 'dist/ui', 'LICENSE', 'README.md'];

execFileSync(process.execPath, [join(ROOT, 'src/ui/build-pages.ts')], { cwd: ROOT, stdio: 'inherit' });
rmSync(STAGE, { recursive: true, force: true });
for (const path of COPIED) cpSync(join(ROOT, path), join(STAGE, path), { recursive: true });
await buildServer(join(STAGE, 'bundle'));
writeFileSync(join(STAGE, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
const target = resolve(process.argv[2] ?? ROOT);
execFileSync('npm', ['pack', '--silent', '--pack-destination', target], { cwd: STAGE, stdio: 'inherit' });

/** A release sets `NPM_PACKAGE`, the name that the owner has on npm, and `REPOSITORY_URL`, which the provenance is compared with. */
function manifest() {
  const { NPM_PACKAGE, REPOSITORY_URL } = process.env;
  const { name, version, description, license, type, dependencies } = JSON.parse(
    readFileSync(join(ROOT, 'package.json'), 'utf8'),
  );
  const bin = { postern: 'bundle/main.js' };
  const repository = REPOSITORY_URL ? { repository: { type: 'git', url: REPOSITORY_URL } } : {};
  const names = { name: NPM_PACKAGE || name, version, description, license, ...repository };
  return { ...names, type, bin, engines: { node: '>=24.18.1' }, dependencies };
}
