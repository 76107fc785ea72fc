/** The house rules, checked: which room may open the door of which, and which packages it may use (DESIGN). */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { describe, it } from 'node:test';

interface Room {
  readonly rooms: readonly string[];
  readonly packages: readonly string[];
}

// biome-ignore format: a table
const MAY_IMPORT: Readonly<Record<string, Room>> = {
  domain:    { rooms: [],                               packages: [] },
  access:    { rooms: ['domain'],                       packages: [] },
  gateway:   { rooms: ['domain', 'identity', 'access'], packages: ['koa', 'koa-router', 'http-proxy', 'undici', 'ws', 'lru-cache', '@peculiar/x509', 'reflect-metadata'] },
  identity:  { rooms: ['domain'],                       packages: [] },
  accounts:  { rooms: ['domain'],                       packages: ['koa', 'koa-router', 'jose', 'lru-cache'] },
  events:    { rooms: ['domain'],                       packages: ['koa', 'koa-router', 'lru-cache', 're2js'] },
  store:     { rooms: ['domain'],                       packages: ['kysely', 'kysely/migration'] },
  config:    { rooms: ['domain'],                       packages: ['yaml', 'zod'] },
  telemetry: { rooms: ['domain'],                       packages: ['prom-client', 'pino'] },
  ui:        { rooms: ['domain'],                       packages: ['koa', 'koa-router', 'vite'] },
  cli:       { rooms: ['domain', 'config', 'events', 'app', '.'], packages: ['commander', 'pino'] },
};
/** The composition and the worker beside it know every room. */
const ROOT = '.';
const COMPOSITION: readonly string[] = [ROOT, 'app'];
const PURE: readonly string[] = ['domain', 'access'];

const IMPORT = /(?:^|\n)(?:import|export)\b[^;]*?\bfrom\s+'(?<target>[^']+)'|\bimport\('(?<lazy>[^']+)'\)/g;

const files = globSync('src/**/*.ts', { exclude: ['src/ui/pages/**'] }).sort();
const roomOf = (file: string): string => {
  const [first = '', second] = relative('src', file).split(sep);
  return second === undefined ? ROOT : first;
};

const importsOf = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(IMPORT)].map(({ groups }) => groups?.['target'] ?? groups?.['lazy'] ?? '');

describe('The architecture', () => {
  for (const file of files.filter((path) => !COMPOSITION.includes(roomOf(path)))) {
    it(`${file} opens only the doors its room may open`, () => {
      const room = roomOf(file);
      const allowed = MAY_IMPORT[room] ?? assert.fail(`${room}/ is not a room: add it to the table`);
      for (const target of importsOf(file)) {
        if (target.startsWith('.')) {
          if (target.endsWith('.json')) continue;
          const other = roomOf(join(dirname(file), target));
          assert.ok(
            [room, ...allowed.rooms].includes(other),
            `${file} imports ${target}: ${room}/ may not open ${other}/`,
          );
        } else if (target.startsWith('node:')) {
          const isIo = !['node:net', 'node:crypto'].includes(target);
          assert.ok(!(PURE.includes(room) && isIo), `${file} imports ${target}: ${room}/ is pure`);
        } else {
          assert.ok(allowed.packages.includes(target), `${file} imports ${target}: not a package of ${room}/`);
        }
      }
    });
  }

  it('only the gateway knows http-proxy', () => {
    const users = files.filter((file) => importsOf(file).includes('http-proxy'));
    assert.deepEqual([...new Set(users.map(roomOf))], ['gateway']);
  });

  it('nobody below the roots asks the machine for the time, chance or the environment', () => {
    const impure = /\bDate\.now\(\)|\bMath\.random\(\)|\bprocess\.env\b/;
    const allowed = [...COMPOSITION, 'cli'];
    const askers = files.filter((file) => !allowed.includes(roomOf(file)) && impure.test(readFileSync(file, 'utf8')));
    assert.deepEqual(askers, []);
  });
});
