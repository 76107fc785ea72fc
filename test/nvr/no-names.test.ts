/** The engine knows no NVR: what only one has stands in its adapter and in its route table (SPEC 20). */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { it } from 'node:test';
import { type LoadedPolicy, loadPolicy, SHIPPED } from '../../src/config/policy/load-policy.ts';
import { ADAPTER_NAMES } from '../../src/nvr/adapters.ts';

const ENGINE = ['gateway', 'access', 'identity', 'domain', 'doctor'];
const FILES = ENGINE.flatMap((module) => globSync(`src/${module}/**/*.ts`)).sort();

interface Line {
  readonly place: string;
  readonly text: string;
}

const LINES: readonly Line[] = FILES.flatMap((file) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .map((text, at) => ({ place: `${file}:${at + 1}`, text })),
);

/** The shipped tables but Postern's own. */
const TABLES = globSync(`${SHIPPED}/*.yaml`)
  .map((file) => basename(file, '.yaml'))
  .filter((name) => name !== 'postern');

async function loaded(name: string): Promise<LoadedPolicy> {
  const table = await loadPolicy(name, '.');
  return table.kind === 'loaded' ? table : assert.fail(JSON.stringify(table.problems));
}

/** Names of NVRs, of servers inside them, and of what one of them alone has; not those of cookies and variables, which are Postern's interface. */
const NAMED = new RegExp(
  [...ADAPTER_NAMES, ...TABLES.filter((name) => name !== 'strict'), 'go2rtc', 'mediamtx', 'birdseye'].join('|'),
  'i',
);

it('no file of the engine names an NVR, comments included', () => {
  assert.ok(NAMED.test('a recording of Frigate'));
  assert.deepEqual(
    LINES.filter(({ text }) => NAMED.test(text)),
    [],
  );
});

/** Folders of an NVR whose names mean nothing else. */
const FOLDERS: readonly string[] = ['/vod/', '/clips/', '/recordings/', '/exports/', '/media/', '/live/', '/cache/'];
/** The beginning of a path below `/api`: `/api/config`. */
const BEGINNING = /\/api\/[a-z]\w*(?![\w%])/g;
const beginningsIn = (text: string): readonly string[] => text.match(BEGINNING) ?? [];

it('no file of the engine has a path of an NVR, comments included', async () => {
  const tables = await Promise.all(TABLES.map(loaded));
  const rows = tables.flatMap(({ rows: all }) => all);
  const own = rows.filter((row) => row.own).map(({ path }) => path);
  const ofNvrs = new Set(rows.filter((row) => !row.own).flatMap(({ path }) => beginningsIn(path)));
  assert.ok(ofNvrs.has('/api/config') && ofNvrs.has('/api/events'));
  const longestFirst = own.toSorted((one, other) => other.length - one.length);
  const hasPath = ({ place, text }: Line): boolean => {
    // Paths of Postern's own rows, and of its interface for events.
    if (place.startsWith('src/domain/events/event-paths.ts')) return false;
    const rest = longestFirst.reduce((left, path) => left.replaceAll(path, ''), text);
    const isOfNvr = beginningsIn(rest).some((path) => ofNvrs.has(path));
    return isOfNvr || (!/^(?:import|export) |^} from /.test(rest) && FOLDERS.some((folder) => rest.includes(folder)));
  };
  assert.deepEqual(LINES.filter(hasPath), []);
});
