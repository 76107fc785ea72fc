/** One round of the canary: survey, questions one after another with pauses, and what was found (SPEC 15). */
import type { NvrAdapter } from '../access/nvr-adapter.ts';
import type { RecorderLayout } from '../access/recorder-layout.ts';
import type { DescribedApi } from '../access/review/openapi-operations.ts';
import { policyDrift } from '../access/review/policy-drift.ts';
import { namesAlike } from '../domain/names.ts';
import type { PolicyRow } from '../domain/policy/policy.ts';
import type { CameraList } from '../domain/policy/table-head.ts';
import { type Answer, type Ask, Stopped } from './answer.ts';
import { type CanaryRequest, canaryRequestsOf } from './canary-requests.ts';
import { BINARY, createFinder, type Finder, type ForeignTrace } from './find-foreign.ts';
import { findUnnamed } from './find-unnamed.ts';
import type { Landscape } from './landscape.ts';
import { survey } from './survey.ts';

/** What leaked, and never the content. */
interface Leak {
  /** A method and a path, as the table writes them. */
  readonly route: string;
  /** Undefined when the answer names none: a sum over all cameras. */
  readonly camera: string | undefined;
  /** `answered`: a request that names the foreign camera was let through; otherwise where the answer shows it. */
  readonly by: 'answered' | ForeignTrace['by'];
}

export interface DoneRound {
  readonly kind: 'done';
  /** Unix seconds. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** The canary's own. */
  readonly camera: string;
  /** Questions of the canary that were answered, or refused as they should be. */
  readonly asked: number;
  /** Questions without an answer: the NVR was not reached, or failed. */
  readonly failed: number;
  /** Routes that were not asked about a foreign camera, because the NVR has nothing of one there now. */
  readonly unasked: readonly string[];
  /** A route and a camera once. */
  readonly leaks: readonly Leak[];
  /** Pairs of cameras whose names begin alike, as a text each: the NVR finds some pictures by the beginning of a name. */
  readonly alike: readonly string[];
  /** Undefined when the NVR does not tell its operations. */
  readonly drift: OperationDrift | undefined;
}

export type Round =
  | DoneRound
  /** Fewer than two cameras are known: there is nothing foreign to look for. */
  | { readonly kind: 'too-few-cameras' }
  /** The list of cameras could not be read yet. */
  | { readonly kind: 'cameras-unknown' };

interface RoundDeps {
  readonly ask: Ask;
  readonly rows: readonly PolicyRow[];
  /** The adapter of the rows. */
  readonly nvr: NvrAdapter;
  readonly layout: RecorderLayout | undefined;
  /** How many rounds were there before. */
  readonly number: number;
  /** Unix seconds. */
  readonly now: () => number;
  /** Where the NVR lists its cameras, as the route table says; absent: nowhere. */
  readonly lists?: readonly CameraList[];
  /** What the NVR tells of its operations; undefined when it does not. */
  readonly describedApi: () => Promise<DescribedApi | undefined>;
}

/** Rejects when it was stopped, which `ask` says by rejecting with `Stopped`. */
export async function runRound({
  ask,
  rows,
  nvr,
  layout,
  number,
  now,
  lists,
  describedApi,
}: RoundDeps): Promise<Round> {
  if (!layout) return { kind: 'cameras-unknown' };
  const startedAt = now();
  const landscape = await survey({ ask, layout, seeds: nvr.canary, round: number, now: startedAt });
  if (!landscape) return { kind: 'too-few-cameras' };
  const { requests, unasked } = canaryRequestsOf(rows, landscape, nvr.canary);
  const members = new Set(rows.flatMap(({ named_by }) => named_by ?? []));
  const finder = createFinder(landscape, nvr.canary.answers, { members, ...(lists && { lists }) });
  const leaks = new Map<string, Leak>();
  let failed = 0;
  for (const request of requests) {
    const answer = await ask('canary', request.target).catch(unlessStopped);
    if (!answer || hasFailed(answer)) {
      failed += 1;
      continue;
    }
    const seen = await leakIn(request, answer, { landscape, finder, ask, nvr }).catch(unlessStopped);
    if (!seen) continue;
    const leak = { route: request.route, ...seen };
    leaks.set(JSON.stringify([leak.route, leak.camera]), leak);
  }
  const drift = operationDrift(await describedApi().catch(() => undefined), rows);
  return {
    kind: 'done',
    startedAt,
    endedAt: now(),
    camera: landscape.own.camera,
    asked: requests.length - failed,
    failed,
    unasked,
    leaks: [...leaks.values()],
    alike: namesAlike(layout.cameras),
    drift,
  };
}

/** A request that could not be asked is no leak, and the round goes on. */
function unlessStopped(fault: unknown): undefined {
  if (fault instanceof Stopped) throw fault;
  return undefined;
}

const hasFailed = ({ status, refused }: Answer): boolean => status >= 500 && refused !== 'nothing-visible';

interface LookDeps {
  readonly landscape: Landscape;
  readonly finder: Finder;
  readonly ask: Ask;
  readonly nvr: NvrAdapter;
}

async function leakIn(
  request: CanaryRequest,
  answer: Answer,
  { landscape, finder, ask, nvr }: LookDeps,
): Promise<Omit<Leak, 'route'> | undefined> {
  if (answer.refused !== undefined) return undefined;
  if (request.about === 'foreign' && isLetThrough(request, answer)) return { camera: request.camera, by: 'answered' };
  if (answer.status >= 400) return undefined;
  const path = request.target.split('?', 1)[0] ?? '';
  if (await isPictureByName(request, answer, path, ask)) return { camera: request.camera, by: 'answered' };
  return finder.find(answer, path) ?? (await findUnnamed(request, answer, landscape, { ask, nvr }));
}

/** Whether a picture comes when the foreign camera is named in the query, and nothing without: then it is of that camera. */
async function isPictureByName(
  { about }: CanaryRequest,
  { status, type }: Answer,
  path: string,
  ask: Ask,
): Promise<boolean> {
  if (about !== 'loaded' || status >= 300 || !BINARY.test(type)) return false;
  const { status: without } = await ask('canary', path);
  return without >= 400;
}

/**
 * A request about a foreign camera is refused before it is forwarded. The exception are rows whose answer says which camera it is of:
 * there the NVR may say that it has no such thing any more.
 */
const isLetThrough = ({ row }: CanaryRequest, { status, isOfUpstream }: Answer): boolean =>
  status < 400 || (isOfUpstream && row.narrow?.how !== 'post-check');

/** The NVR's operations, as its own description lists them, that the route table does not know (SPEC 15). */
interface OperationDrift {
  /** `GET /api/new_thing/{id}`. In order, a bounded number. */
  readonly unknown: readonly string[];
  readonly unknownCount: number;
}

const MOST_TOLD = 100;
const LONGEST_TOLD = 200;

function operationDrift(described: DescribedApi | undefined, rows: readonly PolicyRow[]): OperationDrift | undefined {
  if (!described) return undefined;
  const { unknown } = policyDrift(rows, described.operations, described.prefix);
  const told = unknown.map(({ operation }) => operation.slice(0, LONGEST_TOLD)).sort();
  return { unknown: told.slice(0, MOST_TOLD), unknownCount: told.length };
}
