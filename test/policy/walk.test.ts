/** The walk: every operation of the NVR as every kind of caller; what the NVR saw is the proof (interface 2.2, 5.6, 7). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  type Asked,
  askedOfAll,
  foreign,
  nameOf,
  neutralPaths,
  type Operation,
  own,
  readOperations,
} from './support/rows.ts';
import { FOREIGN, withoutItsName } from './support/two-cameras.ts';
import { type Answered, type CallerName, startWalkInstance, type WalkInstance } from './support/walk-instance.ts';

const OPERATIONS = readOperations();

/**
 * `passed`: to the NVR as it was asked; `narrowed`: less of it; `withheld`: asked, and its answer refused with 403;
 * `empty`: answered without asking; `made`: of other questions to the NVR; `own`: answered by Postern; or a status.
 */
type Cell = 'passed' | 'narrowed' | 'withheld' | 'empty' | 'made' | 'own' | number;

interface Cells {
  readonly admin: Cell;
  readonly viewer: Cell;
  /** Without naming a camera, where that is possible; then its own; then the other. */
  readonly gardener: Cell;
  readonly 'gardener, own'?: Cell;
  readonly 'gardener, foreign'?: Cell;
  readonly ghost: Cell;
  readonly anonymous: Cell;
}

/** What the table's level alone says. */
function expectedByLevel(operation: Operation): Cells {
  const { a, how } = operation;
  if (a === 'none') return { admin: 404, viewer: 404, gardener: 404, ghost: 404, anonymous: 404 };
  if (a === 'public')
    return { admin: 'passed', viewer: 'passed', gardener: 'passed', ghost: 'passed', anonymous: 'passed' };
  const admin = { admin: 'passed', anonymous: 401 } as const;
  if (a === 'admin' || a === 'inherit') return { ...admin, viewer: 403, gardener: 403, ghost: 403 };
  if (a === 'unrestricted') return { ...admin, viewer: 'passed', gardener: 403, ghost: 403 };
  const reader = { ...admin, viewer: 'passed' } as const;
  const withheld = how === 'post-check' ? 'withheld' : 403;
  if (a === 'camera') return { ...reader, gardener: 'passed', 'gardener, foreign': withheld, ghost: 403 };
  const narrowing = how?.split(':')[0];
  switch (narrowing) {
    case 'rewrite':
    case 'fanout':
      return { ...reader, gardener: 'narrowed', 'gardener, own': 'passed', 'gardener, foreign': 403, ghost: 'empty' };
    case 'own-data':
      return { ...reader, gardener: 'made', ghost: 'empty' };
    case 'check':
      return { ...reader, gardener: 'passed', 'gardener, foreign': 403, ghost: 403 };
    default:
      return { ...reader, gardener: 'passed', ghost: 'passed' };
  }
}

/** Where Postern is stricter than the level, or answers itself; each with its reason. */
// biome-ignore format: a table
const DIFFERENCES: Readonly<Record<string, readonly [why: string, cells: Partial<Cells>]>> = {
  'POST /api/export/custom/{camera_name}/start/{start_time}/end/{end_time}': ['the NVR checks arguments by a role that it does not see', { viewer: 403, gardener: 403 }],
  'GET /api/cases/{case_id}':                      ['allowed if every export of it is', { 'gardener, foreign': 403, ghost: 403 }],
  'GET /api/cases/{case_id}/download':             ['allowed if every export of it is', { 'gardener, foreign': 403, ghost: 403 }],
  'GET /clips/faces/{rest}':                       ['better for admins, say the facts', { viewer: 403 }],
  'GET /clips/genai-requests/{rest}':              ['better for admins, say the facts', { viewer: 403 }],
  'GET /clips/preview_restart_cache/{rest}':       ['better for admins, say the facts', { viewer: 403 }],
  'GET /clips/{model}/train/{rest}':               ['better for admins, say the facts', { viewer: 403 }],
  'GET /clips/{model}/dataset/{rest}':             ['better for admins, say the facts', { viewer: 403 }],
  'GET /stream/{rest}':                            ['files of any camera', { gardener: 403, ghost: 403 }],
  'GET /api/timeline':                             ['cut off before it could be narrowed, so asked for by camera', { gardener: 'narrowed', 'gardener, own': 'passed', 'gardener, foreign': 403, ghost: 'empty' }],
  'POST /api/notifications/register':              ['the NVR pushes what happens at every camera', { gardener: 403, ghost: 403 }],
  'GET /api/events':                               ['of two parameters that name cameras both are set', { 'gardener, own': 'narrowed' }],
  'GET /login':                                    ['the login page is Postern\'s', OWN()],
  'GET /api/auth/first_time_login':                ['accounts are Postern\'s', OWN()],
  'GET /api/auth':                                 ['accounts are Postern\'s', { ...OWN(), anonymous: 401 }],
  'ANY /auth':                                     ['accounts are Postern\'s', { ...OWN(), anonymous: 401 }],
  'GET /api/logout':                               ['accounts are Postern\'s', OWN()],
  'GET /api/profile':                              ['accounts are Postern\'s', { ...OWN(), anonymous: 401 }],
  'POST /api/login':                               ['accounts are Postern\'s', { admin: 415, viewer: 415, gardener: 415, ghost: 415, anonymous: 415 }],
  'GET /api/users':                                ['accounts are Postern\'s', { admin: 'own' }],
  'POST /api/users':                               ['accounts are Postern\'s', { admin: 415 }],
  'DELETE /api/users/{username}':                  ['accounts are Postern\'s', { admin: 404 }],
  'PUT /api/users/{username}/password':            ['accounts are Postern\'s', { admin: 415, viewer: 415, gardener: 415, ghost: 415 }],
  'PUT /api/users/{username}/role':                ['accounts are Postern\'s', { admin: 415 }],
};

function OWN(): Cells {
  return { admin: 'own', viewer: 'own', gardener: 'own', ghost: 'own', anonymous: 'own' };
}

/** Ends the sessions of the walk, so it comes last. */
const LAST = 'GET /api/logout';
const IN_ORDER = OPERATIONS.toSorted((one, other) => Number(nameOf(one) === LAST) - Number(nameOf(other) === LAST));

/** Answers of these forms are not the NVR's own, byte by byte, even for callers who see all cameras. */
const REWRITTEN: readonly string[] = ['GET /api/config', 'GET /api/stats', 'GET /api/metrics'];

/** Callers who see all cameras ask for the one that others may not see. */
function questionFor(operation: Operation, caller: CallerName, about: string | undefined): Asked {
  if (about === 'own') return own(operation);
  if (about === 'foreign') return foreign(operation);
  if (caller !== 'gardener') return askedOfAll(operation) ?? foreign(operation);
  return askedOfAll(operation) ?? own(operation);
}

const limitMessage = (cells: Cells): string =>
  Object.entries(cells)
    .map(([cell, value]) => `${cell} ${value}`)
    .join('; ');

/** The cell in one word, or what is wrong with it. */
function cellOf(operation: Operation, caller: CallerName, asked: Asked, answered: Answered): Cell | string {
  const { status, body, headers, forwarded } = answered;
  const seesAll = caller === 'admin' || caller === 'viewer';
  const text = withoutItsName(readable(operation, body), asked.target) + JSON.stringify(headers);
  if (!seesAll && FOREIGN.test(text)) return `LEAKS ${FOREIGN.exec(text)?.[0]} in ${text.slice(0, 300)}`;
  const isGood = status === 101 || (status >= 200 && status < 400);
  const [sent, ...more] = forwarded;
  if (!isGood && sent)
    return operation.how === 'post-check' && status === 403 ? 'withheld' : `the NVR saw ${sent.target}`;
  if (!isGood) return status;
  if (!sent && body.includes('garden') && operation.how === 'own-data') return 'made';
  if (!sent) return operation.svc === 'auth' || body.startsWith('<') ? 'own' : 'empty';
  if (caller === 'gardener' && answered.sent.includes('garden') && !body.includes('garden')) return 'nothing is left';
  if (more.length > 0) return `the NVR was asked ${forwarded.length} times`;
  if (sent.target !== asked.target) return isNarrowed(sent.target, asked) ? 'narrowed' : `the NVR saw ${sent.target}`;
  const isUntouched = status === 101 || body === answered.sent;
  if (seesAll && !isUntouched && !REWRITTEN.includes(nameOf(operation)))
    return `the answer was changed: ${body.slice(0, 200)}`;
  return 'passed';
}

/** Names of cameras stay in the configuration, and nothing else of the other one does (the pages count them). */
const readable = ({ p }: Operation, body: string): string =>
  p === '/api/config' ? body.replace('"bedroom":{"name":"bedroom",', '') : body;

const isNarrowed = (sent: string, { target }: Asked): boolean =>
  sent === `${target.split('?')[0]}?cameras=garden` ||
  sent === `${target.split('?')[0]}?camera=garden` ||
  sent === `${target}&cameras=garden`;

describe('Every operation of the NVR, as admin, viewer, gardener (of the garden alone), ghost (of no known role), anonymous', () => {
  let walk: WalkInstance;
  before(async () => {
    walk = await startWalkInstance(neutralPaths());
  });
  after(() => walk.close());

  it('is one of 226', () => assert.equal(OPERATIONS.length, 226));

  for (const operation of IN_ORDER) {
    const name = nameOf(operation);
    const [why, difference] = DIFFERENCES[name] ?? [undefined, {}];
    const expected = { ...expectedByLevel(operation), ...difference };
    it(`${name}: ${limitMessage(expected)}${why === undefined ? '' : ` (${why})`}`, async () => {
      const found: Record<string, Cell | string> = {};
      for (const cell of Object.keys(expected)) {
        const [caller, about] = cell.split(', ') as [CallerName, string | undefined];
        const asked = questionFor(operation, caller, about);
        found[cell] = cellOf(operation, caller, asked, await walk.ask(caller, asked));
      }
      assert.deepEqual(found, expected);
    });
  }
});
