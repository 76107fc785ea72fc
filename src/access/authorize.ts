/** Step 4. May they, and see what? From the route table's row and the caller's cameras (interface 2.2, 5.6, 7). */
import type { Caller } from '../domain/caller.ts';
import { ADMIN, type Role, VIEWER } from '../domain/names.ts';
import { type Access, type PolicyRow, VERBS, type Verb } from '../domain/policy.ts';
import type { PlainTarget } from '../domain/request.ts';
import { unreachable } from '../domain/result.ts';
import { type AccessVerdict, refused, type Terms } from './access-verdict.ts';
import { type Located, locate, type NamedCameras, namesAddress } from './camera-locators.ts';
import { type CameraView, clearanceOf, viewOf } from './camera-view.ts';
import { CONCERNED } from './narrow-answer.ts';
import { askedCameras, withCameras } from './narrow-query.ts';
import { queryValues } from './query.ts';
import type { RecorderLayout } from './recorder-layout.ts';
import type { RouteMatch } from './route-table.ts';

/** What the decision knows of the world beyond the request. */
export interface Surroundings {
  /** Undefined until the NVR was first read: a guess could show too much. */
  readonly layout: RecorderLayout | undefined;
  readonly isDenied: (role: Role, verb: Verb) => boolean;
}

type Listed = RouteMatch & { kind: 'listed' };

/** `caller` is undefined when nobody is known, which only public routes let pass. */
export function authorize(
  caller: Caller | undefined,
  match: RouteMatch,
  target: PlainTarget,
  { layout, isDenied }: Surroundings,
): AccessVerdict {
  if (match.kind === 'listed' && match.row.access === 'none') return refused('path-not-found');
  if (match.kind === 'listed' && match.row.access === 'public') return { kind: 'allowed', target };
  if (!caller) return refused('no-credentials');
  if (match.kind === 'unlisted') return unlisted(caller, target);
  const { row } = match;
  if (!satisfies(caller, row.access)) return refused('role-too-low');
  if (row.verb && isDenied(caller.role, row.verb)) return refused('verb-denied');
  if (clearanceOf(caller) === 'admin') return onTerms(target, row, viewOf(caller, layout), {});
  if (row.dynamic && !layout) return refused('cameras-unknown');
  // Below a dynamic segment a name that is no camera may be a route that the table does not know.
  if (row.dynamic && !namesCamera(match, layout)) return refused('route-unlisted');
  if (namesAddress(match, target)) return refused('camera-not-in-role');
  if (isForAdmins(row, target)) return refused('field-admin-only');
  if (row.narrow === 'per-message') return perMessage(target, caller, { layout, isDenied });
  if (caller.scope.kind === 'all' || !isNarrowed(row))
    return onTerms(target, row, viewOf(caller, layout), bodyTerms(row, []));
  if (!layout) return refused('cameras-unknown');
  return withinView(match, target, viewOf(caller, layout));
}

function unlisted(caller: Caller, target: PlainTarget): AccessVerdict {
  if (caller.role !== ADMIN) return refused('route-unlisted');
  return caller.scope.kind === 'all' ? { kind: 'allowed', target } : refused('not-narrowable');
}

function satisfies(caller: Caller, access: Access): boolean {
  switch (access) {
    case 'public':
    case 'any':
    case 'camera':
      return true;
    case 'unrestricted':
      return caller.scope.kind === 'all' && (caller.role === ADMIN || caller.role === VIEWER);
    case 'admin':
      return caller.role === ADMIN && caller.scope.kind === 'all';
    case 'none':
      return false;
    default:
      return unreachable(access);
  }
}

function namesCamera({ row, parameters }: Listed, layout: RecorderLayout | undefined): boolean {
  const [locator = ''] = row.cameras ?? [];
  const named = parameters[locator.slice('path:'.length)];
  return layout?.cameras.some((camera) => camera === named) ?? false;
}

const isForAdmins = ({ admin_parameters }: PolicyRow, { query }: PlainTarget): boolean =>
  query !== '' && admin_parameters?.some((name) => queryValues(query, name).length > 0) === true;

/** Whether a restricted role's request or answer needs a look at all. */
const isNarrowed = ({ narrow, cameras, access, answer }: PolicyRow): boolean =>
  access === 'camera' || narrow !== undefined || cameras !== undefined || answer !== undefined;

function perMessage(target: PlainTarget, caller: Caller, { layout, isDenied }: Surroundings): AccessVerdict {
  if (!layout) return refused('cameras-unknown');
  const denied = VERBS.filter((verb) => isDenied(caller.role, verb));
  return { kind: 'allowed', target, terms: { view: viewOf(caller, layout), messages: { denied } } };
}

function withinView(match: Listed, target: PlainTarget, view: CameraView): AccessVerdict {
  const { row } = match;
  // There are servers that read it as `&`: then what is judged and what is read would differ.
  if (target.query.includes(';')) return refused('target-not-plain');
  const located = locate(match, target, view.layout);
  if (located.kind === 'repeated') return refused('parameter-repeated');
  if (!seesEvery(view, located.named)) return refused('camera-not-in-role');
  if (row.access === 'camera' && (view.cameras.length === 0 || !asksForAny(located))) {
    return refused('camera-not-in-role');
  }
  const [how = '', parameter = ''] = (row.narrow ?? 'check').split(':');
  // Whose it is will stand in the answer: nobody needs to be asked twice.
  const owners = how === 'post-check' ? {} : ownerTerms(located);
  const terms = { ...owners, ...bodyTerms(row, located.inBody) };
  switch (how) {
    case 'rewrite':
    case 'fanout':
      return narrowed(row, target, view, parameter, terms);
    case 'own-data':
      if (view.cameras.length === 0) return nothing(row);
      return onTerms(target, row, view, { ...terms, ownData: true });
    case 'post-filter':
      return onTerms(
        target,
        row,
        view,
        row.empty === undefined ? terms : { ...terms, empty: JSON.stringify(row.empty) },
      );
    case 'check':
    case 'lookup':
    case 'post-check':
    case 'rewrite-body':
      return onTerms(target, row, view, terms);
    default:
      return refused('not-narrowable');
  }
}

const seesEvery = (view: CameraView, named: readonly NamedCameras[]): boolean =>
  named.every((cameras) => cameras.some((camera) => view.sees(camera)));

/** A row of `access: camera` that names none, such as a stream's without `src`, would be about all of them. */
const asksForAny = ({ named, owners, inBody }: Located & { kind: 'located' }): boolean =>
  named.length + owners.length + inBody.length > 0;

function narrowed(
  row: PolicyRow,
  target: PlainTarget,
  view: CameraView,
  parameter: string,
  terms: Partial<Terms>,
): AccessVerdict {
  // Those that were named have been judged; a table that forgot to say where they stand shows nothing more for it.
  const cameras = askedCameras(target, parameter, view.cameras).filter((camera) => view.sees(camera));
  if (cameras.length === 0) return nothing(row);
  if (row.narrow?.startsWith('rewrite') || cameras.length === 1) {
    return onTerms(withCameras(target, parameter, cameras), row, view, { ...terms, isRewritten: true });
  }
  return onTerms(target, row, view, { ...terms, fanout: { parameter, cameras } });
}

const nothing = (row: PolicyRow): AccessVerdict => ({
  kind: 'nothing-visible',
  answer: JSON.stringify(row.empty ?? []),
});

const ownerTerms = ({ owners }: Located & { kind: 'located' }): Partial<Terms> => (owners.length > 0 ? { owners } : {});

const bodyTerms = (row: PolicyRow, locators: readonly string[]): Partial<Terms> =>
  locators.length > 0 || row.admin_fields ? { body: { locators, adminFields: row.admin_fields ?? [] } } : {};

function onTerms(target: PlainTarget, row: PolicyRow, view: CameraView, terms: Partial<Terms>): AccessVerdict {
  const answer = row.answer && CONCERNED[row.answer].includes(view.clearance) ? { answer: row.answer } : {};
  const all: Terms = { view, ...terms, ...answer };
  return Object.keys(all).length > 1 ? { kind: 'allowed', target, terms: all } : { kind: 'allowed', target };
}
