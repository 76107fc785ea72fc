/** Compares a JSON body with the shape of its row: the first field that is unknown, missing or of another form (SPEC 5). */

import { isPushEndpoint } from '../domain/addresses/push-endpoint.ts';
import { isRecord, type JsonRecord } from '../domain/json.ts';
import { type AdapterValue, type BodyShape, isAdapterValue, type ValueForm } from '../domain/policy/body-shape.ts';
import { isId } from './camera-locators.ts';
import type { NvrAdapter } from './nvr-adapter.ts';

export interface BodyRules {
  /** What further words of the shape mean. */
  readonly nvr: NvrAdapter;
  /** Hosts of push services: `fcm.googleapis.com`, or `*.push.apple.com` for the names below. */
  readonly pushHosts: readonly string[];
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

/** The place of the fault, as `items[2].camera`; the empty text for the body itself; undefined when the body fits. */
export function bodyFault(json: unknown, shape: BodyShape, rules: BodyRules): string | undefined {
  return faultAt('', json, shape, rules);
}

/** Null is the same as absent: servers read it so where a field may be left out. */
function faultAt(place: string, value: unknown, shape: BodyShape, rules: BodyRules): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (shape.kind === 'object') return isRecord(value) ? faultInObject(place, value, shape.fields, rules) : place;
  if (shape.kind !== 'list') return isOfForm(value, shape, rules) ? undefined : place;
  if (!Array.isArray(value) || value.length > LONGEST_LIST) return place;
  const elements: readonly unknown[] = value;
  return firstOf(elements.entries(), ([index, element]) => {
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
  return firstOf(Object.entries(fields), ([name, { shape, isRequired }]) => {
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

const isPlainText = (text: string): boolean => text.isWellFormed() && !/\p{Cc}/u.test(text);

function firstOf<Item>(items: Iterable<Item>, faultOf: (item: Item) => string | undefined): string | undefined {
  for (const item of items) {
    const fault = faultOf(item);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
