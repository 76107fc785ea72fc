/** Problems of a configuration, each with key, line and next step (SPEC 1, `check`). */
import type { z } from 'zod';
import type { KeySchema } from '../schema/schema.ts';
import { isSecretKey } from '../schema/secret-keys.ts';
import { nearest } from './nearest.ts';

/** A key as zod and yaml name it: property names and list indexes in turn. */
export type KeyPath = readonly PropertyKey[];

export function valueAt(tree: unknown, path: KeyPath): unknown {
  return path.reduce<unknown>(
    (node, step) =>
      typeof node === 'object' && node !== null ? (node as Record<PropertyKey, unknown>)[step] : undefined,
    tree,
  );
}

/** Something wrong, before it is known where it stands. */
export interface Finding {
  readonly path: KeyPath;
  readonly message: string;
}

export const when = (holds: boolean, path: KeyPath, message: string): readonly Finding[] =>
  holds ? [{ path, message }] : [];

export interface Problem {
  readonly path: string;
  readonly line?: number;
  readonly column?: number;
  readonly message: string;
  /** Where it stands, if not in the configuration file: a variable's name, another file. */
  readonly source?: string;
}

/** `config.yaml:6:7 auth.trusted_proxies[1]: "10.0.0.0/33" is not a CIDR: write for example 172.18.0.0/16`. */
export function formatProblem(file: string, problem: Problem): string {
  const position = problem.line === undefined ? '' : `:${problem.line}:${problem.column ?? 1}`;
  const place = `${problem.source ?? file}${position}`;
  return `${problem.path === '' ? place : `${place} ${problem.path}`}: ${problem.message}`;
}

/** A line each. */
export const formatProblems = (file: string, problems: readonly Problem[]): string =>
  problems.map((problem) => formatProblem(file, problem)).join('\n');

const PLAIN_KEY = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** `auth.trusted_proxies[1]`, `logger.logs["service.api.auth"]`. */
export function pathText(path: KeyPath): string {
  const steps = path.map((step) => {
    if (typeof step === 'number') return `[${step}]`;
    return PLAIN_KEY.test(String(step)) ? `.${String(step)}` : `[${JSON.stringify(step)}]`;
  });
  return steps.join('').replace(/^\./, '');
}

/** zod's issues in our words; an issue about several keys becomes a finding for each. `schema`: the keys there are. */
export function findingsOf(issues: readonly z.core.$ZodIssue[], schema: KeySchema): readonly Finding[] {
  return issues.flatMap((issue): readonly Finding[] => {
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey([...issue.path, key], schema));
    const meant = issue.code === 'invalid_union' ? meantBranch(issue) : undefined;
    if (meant) return findingsOf(meant, schema);
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
export function messageFor(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.input === undefined) return 'is missing: write it';
  if (issue.input === null) return 'is empty: give it a value, or remove the key';
  const shown = isSecretKey(issue.path ?? []) ? 'the value' : show(issue.input);
  switch (issue.code) {
    case 'invalid_type':
      return `${shown} is not ${KINDS[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return notOneOf(shown, issue.input, issue.values);
    case 'too_small':
      return tooSmall(shown, issue);
    case 'too_big':
      return `${shown} is too large: the most is ${issue.maximum}`;
    default:
      return undefined;
  }
}

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

function unknownKey(path: KeyPath, schema: KeySchema): Finding {
  const key = String(path.at(-1));
  const siblings = Object.keys(schemaAt(schema, path.slice(0, -1))?.properties ?? {});
  const meant = nearest(key, siblings) ?? keysNamed(key, schema)[0];
  return { path, message: `unknown key${meant ? `: did you mean ${meant}?` : ': remove it'}` };
}

const schemaAt = (schema: KeySchema, path: KeyPath): KeySchema | undefined =>
  path.reduce<KeySchema | undefined>((part, step) => {
    const below = typeof step === 'number' ? part?.items : (part?.properties?.[String(step)] ?? ofAnyName(part));
    return below?.anyOf?.find(({ properties }) => properties) ?? below;
  }, schema);

const ofAnyName = (part: KeySchema | undefined): KeySchema | undefined =>
  typeof part?.additionalProperties === 'object' ? part.additionalProperties : undefined;

/** Whole paths of the keys of that name, for a key that stands in the wrong section. */
function keysNamed(name: string, schema: KeySchema, above: KeyPath = []): readonly string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, part]) => {
    const path = [...above, key];
    return [...(key === name ? [pathText(path)] : []), ...keysNamed(name, part, path)];
  });
}
