/** Authorizes a request's JSON body: the cameras and ids that it names, fields that are for admins, and its shape; likewise the parameters of a query (SPEC 5). */
import { isPushEndpoint } from '../domain/addresses.ts';
import { isRecord, type JsonRecord } from '../domain/json.ts';
import {
  type AdapterValue,
  type BodyPlace,
  type BodyShape,
  isAdapterValue,
  isOwnerKind,
  type Locator,
  type NameKind,
  PATH_SHAPES,
  type ParameterForms,
  type ParameterShape,
  type ValueForm,
} from '../domain/policy.ts';
import type { RefusalReason } from '../domain/refusal.ts';
import { isPlainText } from '../domain/text.ts';
import type { BodyRule, OwnerQuestion } from './access-verdict.ts';
import { isAmbiguous, isRecent, type PrefixBodyRule } from './by-prefix.ts';
import { isId, namedBy } from './camera-locators.ts';
import type { CameraView } from './camera-view.ts';
import { NO_ADAPTER, type NvrAdapter } from './nvr-adapter.ts';
import { queryPairs } from './query.ts';
import { readMember } from './recorder-layout.ts';
import { rfc3339, timeInFile } from './time-locators.ts';

export type BodyVerdict =
  /** `json` is what may be sent: pictures of cameras that are not the caller's are taken out. */
  | { readonly kind: 'judged'; readonly owners: readonly OwnerQuestion[]; readonly json: unknown }
  /** `field` is the place of the one that has another form, as `items[2].camera`. */
  | { readonly kind: 'refused'; readonly reason: RefusalReason; readonly field?: string };

export interface BodySurroundings {
  /** What the words of the row mean. */
  readonly nvr?: NvrAdapter;
  /** Those of `nvr.push_endpoints`: `fcm.googleapis.com`, or `*.push.apple.com` for the names below. */
  readonly pushHosts?: readonly string[];
}

export function judgeBody(
  received: unknown,
  rule: BodyRule,
  view: CameraView,
  { nvr = NO_ADAPTER, pushHosts = [] }: BodySurroundings = {},
): BodyVerdict {
  const json = withoutPictures(received, rule.locators, view, nvr);
  const forAdmins = rule.adminFields.find((field) => hasField(json, field));
  if (forAdmins !== undefined) return { kind: 'refused', reason: 'field-admin-only', field: forAdmins };
  const { shape, otherFieldsPass = false } = rule;
  const field = shape && faultAt('', json, shape, { nvr, pushHosts, otherFieldsPass });
  if (field !== undefined) return { kind: 'refused', reason: 'body-field-refused', field };
  const owners: OwnerQuestion[] = [];
  for (const locator of rule.locators) {
    const { kind } = locator;
    if (isPicture(kind)) continue;
    const values = valuesAt(json, locator);
    if (isOwnerKind(kind)) {
      if (!values.every((value) => typeof value === 'string')) return { kind: 'refused', reason: 'body-unreadable' };
      owners.push({ of: kind, ids: values });
    } else if (!values.every((value) => seesCamerasOf(kind, value, view, nvr))) {
      return { kind: 'refused', reason: 'camera-not-in-role' };
    }
  }
  if (rule.byPrefix && asksByPrefix(json, rule.byPrefix, rule.locators, view))
    return { kind: 'refused', reason: 'name-not-unique' };
  return { kind: 'judged', owners, json };
}

/** Whether the NVR would look for pictures by the beginning of a camera's name that is not the caller's alone. */
function asksByPrefix(
  json: unknown,
  { values, times, since, isNamed }: PrefixBodyRule,
  locators: readonly Locator[],
  view: CameraView,
): boolean {
  if (isNamed && values.some(({ field, value }) => readMember(json, field) === value)) return true;
  return times.some((place) => {
    const beside = locators.find(({ kind, list }) => kind === 'camera' && list === place.list);
    const cameras = beside ? valuesAt(json, beside) : [];
    const starts = valuesAt(json, place);
    return cameras.some((camera, at) => isAmbiguous(String(camera), view) && isRecent(starts[at], since));
  });
}

/** Cameras that a body names, as they stand there. */
export const camerasInBody = (json: unknown, locators: readonly Locator[]): readonly string[] =>
  locators
    .filter(({ kind }) => kind === 'camera')
    .flatMap((locator) => valuesAt(json, locator))
    .filter((value) => typeof value === 'string');

/** A picture may be left out of what is sent; a camera may not. */
export const isPicture = (kind: Locator['kind']): kind is NameKind => kind.startsWith('file:');

function withoutPictures(json: unknown, locators: readonly Locator[], view: CameraView, nvr: NvrAdapter): unknown {
  return locators.reduce((left, { kind, ...place }) => {
    const isSent = (value: unknown): boolean =>
      value === null || (isPicture(kind) && seesCamerasOf(kind, value, view, nvr) && isPictureInTime(value, view));
    return isPicture(kind) ? withoutOthers(left, place, isSent) : left;
  }, json);
}

/** The picture may be any of the camera's. */
const isPictureInTime = (value: unknown, { since }: CameraView): boolean =>
  since === undefined || (timeInFile(String(value)) ?? Number.NEGATIVE_INFINITY) >= since;

function withoutOthers(json: unknown, { name, list }: BodyPlace, isSent: (value: unknown) => boolean): unknown {
  const cut = (object: unknown): unknown =>
    isRecord(object) && Object.hasOwn(object, name) && !isSent(object[name])
      ? Object.fromEntries(Object.entries(object).filter(([key]) => key !== name))
      : object;
  if (list === undefined) return cut(json);
  if (!isRecord(json) || !Object.hasOwn(json, list)) return json;
  const elements = json[list];
  return { ...json, [list]: Array.isArray(elements) ? elements.map(cut) : cut(elements) };
}

const seesCamerasOf = (kind: NameKind, value: unknown, view: CameraView, nvr: NvrAdapter): boolean =>
  typeof value === 'string' &&
  namedBy(kind, value, view.layout, { nvr, parameters: {} }).every((cameras) =>
    cameras.some((camera) => view.sees(camera)),
  );

/** None where the field or the list is absent or null; undefined where an element of the list has no such field. */
function valuesAt(json: unknown, { name, list }: BodyPlace): readonly unknown[] {
  const value = readMember(json, list ?? name);
  if (value === undefined || value === null) return [];
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list === undefined ? values : values.map((element) => readMember(element, name));
}

function hasField(json: unknown, field: string): boolean {
  if (Array.isArray(json)) return json.some((element) => hasField(element, field));
  if (!isRecord(json)) return false;
  if (Object.hasOwn(json, field) && json[field] !== null) return true;
  return Object.values(json).some((value) => hasField(value, field));
}

/** A JSON body is compared with the shape of its row: the first field that is unknown, missing or of another form (SPEC 5). */
interface BodyRules extends Required<BodySurroundings> {
  /** Whether fields that the shape does not name pass: those of an admin do. */
  readonly otherFieldsPass: boolean;
}

/** Elements of one list. */
const LONGEST_LIST = 5000;
const LARGEST_NUMBER = 1e12;
const LONGEST_VALUE = 1024;

type FieldForm = (value: string, rules: BodyRules) => boolean;

// biome-ignore format: a table
const TEXT_FORMS: Readonly<Record<Exclude<ValueForm, 'boolean' | 'number' | AdapterValue>, FieldForm>> = {
  'id':            (value) => isId(value),
  /** RFC 4648 section 5; browsers leave the padding out. */
  'base64url':     (value) => /^[\w-]+={0,2}$/.test(value),
  'push-endpoint': (value, { pushHosts }) => isPushEndpoint(value, pushHosts),
};

/** A form that the adapter does not have. */
const NO_VALUE: FieldForm = () => false;

/**
 * The place of the fault, as `items[2].camera`; undefined when the value fits. `place` is that of the value: the empty text for
 * the body itself. Null is the same as absent: servers read it so where a field may be left out.
 */
function faultAt(place: string, value: unknown, shape: BodyShape, rules: BodyRules): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (shape.kind === 'object') return isRecord(value) ? faultInObject(place, value, shape.fields, rules) : place;
  if (shape.kind !== 'list') return isOfForm(value, shape, rules) ? undefined : place;
  if (!Array.isArray(value) || value.length > LONGEST_LIST) return place;
  const elements: readonly unknown[] = value;
  return firstFault(elements.entries(), ([index, element]) => {
    const at = `${place}[${index}]`;
    return element === null ? at : faultAt(at, element, shape.of, rules);
  });
}

function faultInObject(
  place: string,
  object: JsonRecord,
  fields: Extract<BodyShape, { kind: 'object' }>['fields'],
  rules: BodyRules,
): string | undefined {
  const at = (name: string): string => (place === '' ? name : `${place}.${name}`);
  const unknown = Object.keys(object).find((name) => !Object.hasOwn(fields, name));
  if (unknown !== undefined && !rules.otherFieldsPass) return at(unknown);
  return firstFault(Object.entries(fields), ([name, { shape, isRequired }]) => {
    const value = Object.hasOwn(object, name) ? object[name] : undefined;
    return isRequired && (value === undefined || value === null) ? at(name) : faultAt(at(name), value, shape, rules);
  });
}

type SingleShape = Exclude<BodyShape, { kind: 'object' | 'list' }>;

function isOfForm(value: unknown, shape: SingleShape, rules: BodyRules): boolean {
  if (shape.kind === 'boolean') return typeof value === 'boolean';
  if (shape.kind === 'number') return typeof value === 'number' && Math.abs(value) <= LARGEST_NUMBER;
  if (typeof value !== 'string' || !isPlainText(value)) return false;
  if (shape.kind === 'text') return value.length <= shape.longest;
  if (shape.kind === 'word') return shape.words.includes(value);
  const isOfThatForm = isAdapterValue(shape.kind) ? (rules.nvr.values[shape.kind] ?? NO_VALUE) : TEXT_FORMS[shape.kind];
  return value.length <= LONGEST_VALUE && isOfThatForm(value, rules);
}

function firstFault<Item>(items: Iterable<Item>, faultOf: (item: Item) => string | undefined): string | undefined {
  for (const item of items) {
    const fault = faultOf(item);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Compares a query with the parameters that its row takes: the first that is unknown, repeated, missing or of another form (SPEC 5). */
type Fits = (value: string) => boolean;

/** Forms of a parameter's value, by their names. */
const FORMS: Readonly<Record<Exclude<ParameterShape['kind'], 'text' | 'word'>, Fits>> = {
  id: isId,
  number: (value) => PATH_SHAPES.number.test(value),
  uuid: (value) => PATH_SHAPES.uuid.test(value),
  time: (value) => rfc3339(value) !== undefined,
};

/** Whether a parameter that holds a secret has it in another spelling than the one that is compared: there is no such thing then. */
export const isMisspelt = (query: string, forms: ParameterForms): boolean =>
  queryPairs(query).some(
    ({ name, value }) => Object.hasOwn(forms, name) && forms[name]?.shape.kind === 'uuid' && !FORMS.uuid(value),
  );

/** The name of the parameter, as the client wrote it; undefined when the query fits. */
export function queryFault(query: string, forms: ParameterForms): string | undefined {
  const given = new Set<string>();
  for (const { name, value } of queryPairs(query)) {
    const form = Object.hasOwn(forms, name) ? forms[name] : undefined;
    // Of a repeated one some servers read the first, some the last.
    if (!form || given.has(name) || !isOfParameterForm(value, form.shape)) return name;
    given.add(name);
  }
  return Object.entries(forms).find(([name, { isRequired }]) => isRequired && !given.has(name))?.[0];
}

function isOfParameterForm(value: string, shape: ParameterShape): boolean {
  if (/\p{Cc}/u.test(value)) return false;
  if (shape.kind === 'text') return value.length <= shape.longest;
  if (shape.kind === 'word') return shape.words.includes(value);
  return FORMS[shape.kind](value);
}
