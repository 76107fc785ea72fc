/** What a decision costs: routes by roles, p50 in microseconds, on the shipped route table (issue: under 10 for admin and viewer). */
import { authorize } from '../src/access/authorize.ts';
import { compileRouteTable, type RouteTable } from '../src/access/route-table.ts';
import { rightsOfToken } from '../src/accounts/tokens/api-tokens.ts';
import { loadPolicy } from '../src/config/policy/load-policy.ts';
import { NEW_GRANT } from '../src/domain/accounts/grant.ts';
import type { Caller } from '../src/domain/caller.ts';
import { scopeOfRole } from '../src/domain/camera-scope.ts';
import type { Role, UserName } from '../src/domain/names.ts';
import { parseTarget } from '../src/gateway/decision/strict-target.ts';
import { FRIGATE, layoutOfConfig } from '../src/nvr/frigate/frigate.ts';

/** A company's NVR: thirty-two cameras, two streams each. */
const CAMERAS = Array.from({ length: 32 }, (_, at) => `camera_${at + 1}`);
const LAYOUT = layoutOfConfig({
  cameras: Object.fromEntries(
    CAMERAS.map((camera) => [
      camera,
      { zones: { [`${camera}_zone`]: {} }, live: { streams: { Sub: `${camera}_sub` } } },
    ]),
  ),
});
const ROLES = new Map([
  ['one_camera' as Role, ['camera_7']],
  ['ten_cameras' as Role, CAMERAS.slice(0, 10)],
  ['wildcards' as Role, ['camera_1*', 'camera_7']],
]);

// biome-ignore format: a table
const REQUESTS: readonly (readonly [method: string, target: string])[] = [
  ['GET', '/'],
  ['GET', '/api/config'],
  ['GET', '/api/stats'],
  ['GET', '/api/events?limit=50'],
  ['GET', '/api/events?cameras=camera_7&limit=50'],
  ['GET', '/api/events/1700000000.123456-abc123/snapshot.jpg'],
  ['GET', '/api/review?limit=10'],
  ['GET', '/api/camera_7/latest.webp?h=400'],
  ['GET', '/vod/camera_7/start/1700000000/end/1700000060/seg-1-v1.m4s'],
  ['GET', '/clips/camera_7-1700000000.123456-abc123-clean.webp'],
  ['GET', '/clips/review/thumb-camera_7-1700000000.123456-abc123.webp'],
  ['WS',  '/live/mse/api/ws?src=camera_7_sub'],
  ['WS',  '/ws'],
  ['PUT', '/api/config/set'],
  ['GET', '/api/this/is/not/listed'],
];
const CALLERS: readonly string[] = ['admin', 'viewer', 'one_camera', 'ten_cameras', 'wildcards'];

const BATCH = 200;
const SAMPLES = 60;
const LIMIT_MICROSECONDS = 10;
const WIDTH = 14;
const REQUEST_WIDTH = 64;

export const benchmark = { title: 'finding the row and deciding, p50 in µs, by route and role', run };

async function run(): Promise<void> {
  const policy = await loadPolicy('frigate', '.');
  if (policy.kind === 'invalid') throw new Error('the shipped route table is broken');
  const table = compileRouteTable(policy.rows, FRIGATE);
  console.log(`${policy.rows.length} rows, ${CAMERAS.length} cameras`);
  console.log(`${'request'.padEnd(REQUEST_WIDTH)}${CALLERS.map((role) => role.padStart(WIDTH)).join('')}`);
  let slowest = 0;
  for (const [method, target] of REQUESTS) {
    const costs = CALLERS.map((role) => microseconds(table, method, target, role));
    slowest = Math.max(slowest, ...costs.slice(0, 2));
    const shown = `${method} ${target}`.slice(0, REQUEST_WIDTH - 2).padEnd(REQUEST_WIDTH);
    console.log(`${shown}${costs.map((cost) => cost.toFixed(2).padStart(WIDTH)).join('')}`);
  }
  for (const patterns of [0, 3, 20])
    console.log(
      `${`API token, ${patterns} × ${patterns} patterns: rights and decision`.padEnd(REQUEST_WIDTH)}${tokenCost(table, patterns).toFixed(2).padStart(WIDTH)}`,
    );
  console.log(`\nslowest for admin and viewer: ${slowest.toFixed(2)} µs (limit ${LIMIT_MICROSECONDS})`);
  if (slowest >= LIMIT_MICROSECONDS) process.exitCode = 1;
}

const surroundings = { layout: LAYOUT, now: 0 };

const callerOf = (role: string): Caller => ({
  name: 'somebody' as UserName,
  role: role as Role,
  scope: scopeOfRole(role as Role, ROLES),
  credential: { kind: 'proxy-headers' },
});

/** Finding the row, and deciding: the target has been read before. */
function microseconds(table: RouteTable, method: string, text: string, role: string): number {
  const caller = callerOf(role);
  return medianOf(table, method, text, () => caller);
}

/** A token of a role, each with so many patterns: its rights are asked for with each request. */
function tokenCost(table: RouteTable, patterns: number): number {
  const entries = (start: string): string[] => [
    'camera_7',
    ...Array.from({ length: patterns }, (_, at) => `${start}${at}*`),
  ];
  const role = 'patterns' as Role;
  const roles = { cameras: new Map([[role, entries('camera_')]]), limits: new Map(), zone: 'UTC' };
  const token = { ...TOKEN, role, cameras: entries('*_') };
  const owner = { name: TOKEN.user, role, passwordHash: '', passwordChangedAt: null, createdAt: 0 };
  return medianOf(table, 'GET', '/api/events?limit=50', () => ({
    ...callerOf(role),
    ...rightsOfToken(token, owner, roles, 0),
  }));
}

const TOKEN = {
  ...NEW_GRANT,
  id: '0',
  secretHash: '',
  name: 'bench',
  user: 'somebody' as UserName,
  userCreatedAt: 0,
  managesAccounts: false,
  createdAt: 0,
};

function medianOf(table: RouteTable, method: string, text: string, caller: () => Caller): number {
  const target = parseTarget(text);
  if (!target) throw new Error(`${text} is not plain`);
  const batch = (): number => {
    const start = process.hrtime.bigint();
    for (let time = 0; time < BATCH; time += 1)
      authorize(caller(), table.match(method, target.segments), target, surroundings);
    return Number(process.hrtime.bigint() - start) / 1000 / BATCH;
  };
  for (let time = 0; time < SAMPLES; time += 1) batch();
  const samples = Array.from({ length: SAMPLES }, batch).sort((one, other) => one - other);
  return samples[SAMPLES / 2] ?? Number.NaN;
}
