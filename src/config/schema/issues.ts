/** What is wrong with single keys, in our words: zod's issues as findings (SPEC 1, `check`). */
import type { z } from 'zod';
import { type Finding, type KeyPath, nearest } from '../problems/problems.ts';
import { type Keys, namesIn, placeAmong } from './keys.ts';

/** zod's issues in our words; an issue about several keys becomes a finding for each. `keys`: the keys that exist. */
export function toFindings(issues: readonly z.core.$ZodIssue[], keys: Keys): readonly Finding[] {
  return issues.flatMap((issue): readonly Finding[] => {
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey([...issue.path, key], keys));
    const meant = issue.code === 'invalid_union' ? meantBranch(issue) : undefined;
    if (meant) return toFindings(meant, keys);
    if (issue.code === 'invalid_key') return [{ path: issue.path, message: issue.issues[0]?.message ?? issue.message }];
    return [{ path: issue.path, message: issue.message }];
  });
}

/** Gives what is wrong within a map, where a value may be a map or something else; undefined for any other value. */
function meantBranch({ errors, path }: z.core.$ZodIssueInvalidUnion): readonly z.core.$ZodIssue[] | undefined {
  const isWithin = ({ path: at, code }: z.core.$ZodIssue): boolean => at.length > 0 || code === 'unrecognized_keys';
  const meant = errors.find((issues) => issues.every(isWithin));
  return meant?.map((issue) => ({ ...issue, path: [...path, ...issue.path] }));
}

/** The message for a zod issue where the schema has no words of its own. */
export const messageFor =
  (isSecret: (path: KeyPath) => boolean) =>
  (issue: z.core.$ZodRawIssue): string | undefined => {
    if (issue.input === undefined) return 'is missing: write it';
    if (issue.input === null) return 'is empty: give it a value, or remove the key';
    const shown = isSecret(issue.path ?? []) ? 'the value' : show(issue.input);
    switch (issue.code) {
      case 'invalid_type':
        return `${shown} is not ${KINDS[issue.expected] ?? issue.expected}`;
      case 'invalid_value':
        return notOneOf(shown, issue.input, issue.values);
      case 'too_small':
        return tooSmall(shown, issue);
      case 'too_big':
        return `${shown} is too large: the most is ${issue.maximum}`;
      case 'invalid_format':
        return `${shown} is not of the form ${issue.pattern ?? issue.format}`;
      case 'invalid_union':
        return noneOf(`${shown} is not `, issue.errors);
      default:
        return undefined;
    }
  };

/** What each branch of a union says of the value; the beginning that they share is said once. */
const noneOf = (beginning: string, branches: readonly (readonly z.core.$ZodIssue[])[]): string => {
  const [first = '', ...others] = branches.map(([issue]) => issue?.message ?? '');
  return [first, ...others.map((said) => said.replace(beginning, ''))].join(', nor ');
};

const LONGEST_SHOWN = 60;

/** Lists and maps by their kind alone: there may be a secret in them. */
function show(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? '[]' : 'a list';
  if (typeof value === 'object') return 'a map';
  const text = JSON.stringify(value);
  return text.length <= LONGEST_SHOWN ? text : `${text.slice(0, LONGEST_SHOWN)}…`;
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'text: put it in quotes',
  number: 'a number: write for example 30',
  int: 'a whole number: write for example 30',
  boolean: 'true or false',
  array: 'a list: write [one, two]',
  record: 'a map: write its keys below it, indented',
  object: 'a map: write its keys below it, indented',
};

function notOneOf(shown: string, value: unknown, allowed: readonly unknown[]): string {
  const meant = typeof value === 'string' ? nearest(value, allowed.map(String)) : undefined;
  return `${shown} is not one of ${allowed.join(', ')}${meant ? `: did you mean ${meant}?` : ''}`;
}

function tooSmall(shown: string, issue: { origin?: string; minimum?: unknown; inclusive?: boolean }): string {
  if (issue.origin === 'string' || issue.origin === 'array')
    return `${shown} is empty: give it a value, or remove the key`;
  return `${shown} is too small: ${issue.inclusive === false ? 'write more than' : 'the least is'} ${issue.minimum}`;
}

function unknownKey(path: KeyPath, keys: Keys): Finding {
  const key = String(path.at(-1));
  const meant = nearest(key, namesIn(keys, placeAmong(keys, path.slice(0, -1)))) ?? placeNamed(key, keys);
  return { path, message: `unknown key${meant ? `: did you mean ${meant}?` : ': remove it'}` };
}

/** The whole path of the first key of that name, for a key that stands in the wrong section. */
const placeNamed = (name: string, keys: Keys): string | undefined =>
  [...keys.keys()].find((place) => !place.includes('*') && place.split('.').at(-1) === name);

const OURS = /^POSTERN_+(?<rest>[A-Z].*)$/i;

/** The variable that one is nearly, such as `POSTERN_NVR__URL`; undefined for a known variable, and for one without our prefix. */
export const meantVariable =
  (keys: Keys) =>
  (name: string): string | undefined => {
    const rest = OURS.exec(name)?.groups?.['rest'];
    if (rest === undefined) return undefined;
    const place = listLeaves(keys).find((key) => folded(key.replaceAll('.', '_')) === folded(rest));
    const meant = place && `POSTERN__${place.replaceAll('.', '__').toUpperCase()}`;
    return name.startsWith('POSTERN__') && name.toUpperCase() === meant ? undefined : meant;
  };

const listLeaves = (keys: Keys): readonly string[] =>
  [...keys].flatMap(([place, { form }]) => (place.includes('*') || form === 'section' ? [] : [place]));

/** However many underscores stand between two words. */
const folded = (text: string): string => text.toLowerCase().replaceAll(/_+/g, '_');
