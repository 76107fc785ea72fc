/**
 * `npm run pack`: a package that `npm install -g` takes. Node strips no types from files below node_modules, so they are
 * stripped here, line for line; the pages are built.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const STAGE = join(ROOT, 'dist/package');
const COPIED = ['conf', 'trusted-headers', 'dist/ui', 'LICENSE', 'README.md'];
/** Built into dist/ui; the server itself reads the words and a few rules of the pages. */
const PAGES_ONLY = /\.(?:tsx|css|html|svg)$|vite\.config\.ts$|build-pages\.ts$|generate-conf\.ts$/;
/** Of a module of ours, in an import or where a worker is started. */
const OWN_MODULE = /(?<=['"`](?:\.{1,2}\/|[\w./-]*)[\w./-]*)\.ts(?=['"`])/g;

execFileSync(process.execPath, [join(ROOT, 'src/ui/build-pages.ts')], { cwd: ROOT, stdio: 'inherit' });
rmSync(STAGE, { recursive: true, force: true });
for (const path of COPIED) cpSync(join(ROOT, path), join(STAGE, path), { recursive: true });
for (const path of globSync('src/**/*.{ts,js,json}', { cwd: ROOT }).filter((file) => !PAGES_ONLY.test(file))) addSource(path);
writeFileSync(join(STAGE, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
const target = resolve(process.argv[2] ?? ROOT);
execFileSync('npm', ['pack', '--silent', '--pack-destination', target], { cwd: STAGE, stdio: 'inherit' });

function addSource(path: string): void {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const isTyped = path.endsWith('.ts');
  const target = join(STAGE, isTyped ? path.replace(/\.ts$/, '.js') : path);
  mkdirSync(dirname(target), { recursive: true });
  const plain = isTyped ? stripTypeScriptTypes(text) : text;
  writeFileSync(target, plain.replaceAll(OWN_MODULE, '.js'));
}

function manifest() {
  const { name, version, description, license, type, bin, dependencies } = JSON.parse(
    readFileSync(join(ROOT, 'package.json'), 'utf8'),
  );
  return { name, version, description, license, type, bin, engines: { node: '>=24.18.1' }, dependencies };
}
