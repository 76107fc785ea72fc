/** Authorization of a caller who sees certain cameras only: named cameras must be visible, other requests are narrowed (SPEC 5). */
import {
  type BodyShape,
  type CommonForm,
  isCommonForm,
  isLookedUpKind,
  type Locator,
  type Narrowing,
  type ResponseForm,
} from '../domain/policy.ts';
import type { RequestTarget } from '../domain/request.ts';
import { unreachable } from '../domain/result.ts';
import type { PolicyRow } from '../routes/policy-row.ts';
import { type AccessVerdict, type Obligations, refused } from './access-verdict.ts';
import { findPrefixes, type PrefixFindings } from './by-prefix.ts';
import { type Located, locate } from './camera-locators.ts';
import type { CameraView, Clearance } from './camera-view.ts';
import type { NamedCameras, NvrAdapter } from './nvr-adapter.ts';
import { answerReading, askedCameras, askingForAll, queryValues, withCameras } from './query.ts';
import type { Asked, Listed } from './route-table.ts';

/** The query may be narrowed here. What remains to be done with the body or the response is in the obligations. */
export function withinView(asked: Asked, view: CameraView, more: Partial<Obligations>): AccessVerdict {
  const { match, target, now } = asked;
  const { row, parameters } = match;
  // Some servers read `;` as `&`: then the query that is judged would differ from the query that the NVR reads.
  if (target.query.includes(';')) return refused('target-not-plain');
  const absent = absentIds(row, target);
  if (absent !== undefined) return { kind: 'refused', reason: 'parameter-refused', parameter: absent };
  const located = locate(match, target, view.layout);
  if (!located) return refused('parameter-repeated');
  if (!seesEvery(view, located.named)) return refused('camera-not-in-role');
  if (row.access === 'camera' && (view.cameras.length === 0 || !asksForAny(located))) {
    return refused('camera-not-in-role');
  }
  const prefix = findPrefixes(row.by_prefix ?? [], located.named.flat(), view, { parameters, now });
  if (prefix.isRefused) return refused('name-not-unique');
  const { narrow = CHECK } = row;
  // The response names its camera, so the NVR need not be asked for the owner first.
  const owners = narrow.how === 'post-check' ? {} : ownerObligations(located, more, prefix);
  if (more.ownData && view.cameras.length === 0) return nothing(row);
  const obligations = {
    ...owners,
    ...bodyObligations(row, located.inBody, prefix),
    ...(prefix.header !== undefined && { refusedHeader: prefix.header }),
    ...emptyObligations(row),
    ...more,
  };
  switch (narrow.how) {
    case 'rewrite':
    case 'fanout':
      return narrowed(asked, view, narrow, obligations);
    case 'own-data':
      if (view.cameras.length === 0) return nothing(row);
      return withObligations(asked, view, { ...obligations, ownData: { list: narrow.list ?? more.ownData?.list } });
    case 'check':
    case 'lookup':
    case 'post-check':
    case 'post-filter':
    case 'rewrite-body':
      return withObligations(asked, view, obligations);
    case 'per-message':
    case 'deny':
      return refused('not-narrowable');
    default:
      return unreachable(narrow);
  }
}

/** The parameter of a row that is about ids of the NVR alone, where it is absent. */
const absentIds = ({ access, cameras = [] }: PolicyRow, { query }: RequestTarget): string | undefined =>
  access === 'camera'
    ? cameras.find(
        ({ kind, source, name }) => source === 'query' && isLookedUpKind(kind) && queryValues(query, name).length === 0,
      )?.name
    : undefined;

const CHECK: Narrowing = { how: 'check' };

const seesEvery = (view: CameraView, named: readonly NamedCameras[]): boolean =>
  named.every((cameras) => cameras.some((camera) => view.sees(camera)));

/** A request of a row `access: camera` that names no camera, such as a stream's without `src`, may be about all cameras. */
const asksForAny = ({ named, owners, inBody }: Located): boolean =>
  named.length + owners.flatMap(({ ids }) => ids).length + inBody.length > 0;

function narrowed(
  asked: Asked,
  view: CameraView,
  { how, parameter }: Extract<Narrowing, { readonly parameter: string }>,
  obligations: Partial<Obligations>,
): AccessVerdict {
  const { match, target } = asked;
  // Named cameras were judged above. A row that does not list this parameter in `cameras` still shows no other camera.
  const cameras = askedCameras(target, parameter, view.cameras).filter((camera) => view.sees(camera));
  if (cameras.length === 0) return nothing(match.row);
  if (how === 'fanout' && cameras.length > 1)
    return withObligations(asked, view, { ...obligations, fanout: { parameter, cameras } });
  const sent = { match, target: withCameras(target, parameter, cameras) };
  return withObligations(sent, view, { ...obligations, isRewritten: true });
}

/** The verdict in the place of the response: there is nothing for this caller. */
export const nothing = (row: PolicyRow): AccessVerdict => ({
  kind: 'nothing-visible',
  body: JSON.stringify(row.empty ?? []),
});

const emptyObligations = ({ empty, narrow }: PolicyRow): Partial<Obligations> =>
  narrow?.how === 'post-filter' && empty !== undefined ? { empty: JSON.stringify(empty) } : {};

const ownerObligations = (
  { owners }: Located,
  { padding }: Partial<Obligations>,
  { ownersSince: byPrefixSince }: PrefixFindings,
): Partial<Obligations> => {
  if (owners.length === 0) return {};
  const known = { ...(padding !== undefined && { padding }), ...(byPrefixSince !== undefined && { byPrefixSince }) };
  return { owners: owners.map((question) => ({ ...question, ...known })) };
};

export const bodyObligations = (
  row: PolicyRow,
  locators: readonly Locator[],
  { body: byPrefix }: Pick<PrefixFindings, 'body'> = {},
): Partial<Obligations> =>
  locators.length > 0 || row.admin_fields || byPrefix || bodyShape(row).shape
    ? { body: { locators, adminFields: row.admin_fields ?? [], ...(byPrefix && { byPrefix }), ...bodyShape(row) } }
    : {};

/** The shape of the row's body. With `any` it is not read. */
export const bodyShape = ({ body }: PolicyRow): { readonly shape?: BodyShape } =>
  body === undefined || body === 'any' ? {} : { shape: body };

export function withObligations(
  { match, target }: Pick<Asked, 'match' | 'target'>,
  view: CameraView,
  obligations: Partial<Obligations>,
): AccessVerdict {
  const { row } = match;
  const form = row.answer && isConcerned(match, view) ? row.answer : undefined;
  const reading = form && answerReading(row, target);
  const all: Obligations = {
    view,
    ...obligations,
    ...(form && { responseForm: form }),
    ...(reading && { reading }),
    ...(row.addresses && { addresses: row.addresses }),
  };
  const sent = row.paging && view.clearance === 'restricted' ? askingForAll(target, row.paging) : target;
  return Object.keys(all).length > 1
    ? { kind: 'allowed', target: sent, obligations: all }
    : { kind: 'allowed', target };
}

const isConcerned = ({ row: { answer, hidden }, nvr }: Listed, { clearance }: CameraView): boolean =>
  answer !== undefined && (hidden ? NOT_ADMINS : concernedBy(answer, nvr)).includes(clearance);

const RESTRICTED: readonly Clearance[] = ['restricted'];
const NOT_ADMINS: readonly Clearance[] = ['restricted', 'reader'];
const ALL_READERS: readonly Clearance[] = ['restricted', 'reader', 'admin'];

/** The readers for whom a response of a form that any NVR may have is filtered. */
const CONCERNED: Readonly<Record<CommonForm, readonly Clearance[]>> = {
  array: RESTRICTED,
  one: RESTRICTED,
  nested: RESTRICTED,
  streams: NOT_ADMINS,
  // Asked for by `times` of the row, where the caller sees nothing older than a moment.
  times: [],
  page: RESTRICTED,
};

/** What is in a form that the adapter does not have is not known, so it is filtered for every reader. */
const concernedBy = (form: ResponseForm, { answers }: NvrAdapter): readonly Clearance[] =>
  isCommonForm(form) ? CONCERNED[form] : (answers[form]?.concerns ?? ALL_READERS);
