/** A first route table for an NVR, from its description: every operation for admins, with proposals where it may name a camera (SPEC 20). Pure. */
import type { DescribedApi } from './openapi-operations.ts';
import { NAMES_CAMERAS, type OpenApiOperation } from './policy-drift.ts';

/** The text of a table that `postern check` accepts. */
export function firstTable({ title, version, prefix, operations }: DescribedApi): string {
  const release = /^\D{0,2}(?<release>\d+\.\d+)/.exec(version ?? '')?.groups?.['release'];
  const seen = new Set<string>();
  const rows = operations.flatMap((operation) => tableLines(operation, seen));
  return [
    `# A first route table for ${plain(title ?? 'an NVR')}, made from its description by "postern policy new".`,
    '#',
    '# Only admins get in: change a row to open its operation for others. A line "cameras?" above a row is a proposal: the',
    '# operation has parameters that may name a camera. What the server really does with a parameter is in its source.',
    '# docs/policies.md explains the keys. Try a table with "postern check" and "postern explain GET /path".',
    'version: 1',
    ...(release === undefined
      ? []
      : ['# The release of the server that the rows are for, if this is it.', `# nvr: "${release}"`]),
    ...(prefix === '' ? [] : [`openapi: { below: ${JSON.stringify(prefix)} }`]),
    '# Where the server lists its cameras: the keys of an object, or a field of the elements of a list. For example:',
    '# cameras: { path: "/streams", names: keys }',
    '# cameras: { path: "/cameras", names: "items[].name" }',
    '',
    ...(rows.some((line) => line.startsWith('  - ')) ? ['routes:', ...rows] : ['routes: []', ...rows]),
    '',
  ].join('\n');
}

function tableLines(operation: OpenApiOperation, seen: Set<string>): readonly string[] {
  const path = rowPath(operation.path);
  const route = `${operation.method} ${path}`;
  if (path === undefined) return [`  # left out, because no row can have this path: ${plain(operation.path)}`];
  const pattern = route.replace(PARAMETER, '{}');
  if (seen.has(pattern)) return [`  # left out, because a row above has the same pattern: ${route}`];
  seen.add(pattern);
  const cameras = proposals(operation, path);
  return [
    ...(cameras.length === 0 ? [] : [`  # cameras? [${cameras.map((locator) => JSON.stringify(locator)).join(', ')}]`]),
    `  - { route: ${JSON.stringify(route)}, access: admin }`,
  ];
}

const PARAMETER = /\{\w+\}/g;
const LITERAL = /^[\w.~!$&'()*+,;=:@-]*$/;
const LONGEST_PATH = 1024;

/** The path as a row has it: names of letters and digits, one parameter in a segment. Undefined when no row can have it. */
function rowPath(described: string): string | undefined {
  if (!described.startsWith('/') || described.length > LONGEST_PATH) return undefined;
  const names = new Set<string>();
  const segments = described
    .slice(1)
    .split('/')
    .map((segment) => rowSegment(segment, names));
  return segments.every((segment) => segment !== undefined) ? `/${segments.join('/')}` : undefined;
}

function rowSegment(segment: string, names: Set<string>): string | undefined {
  const start = segment.indexOf('{');
  const end = segment.lastIndexOf('}');
  if (start === -1 && end === -1) return LITERAL.test(segment) ? segment : undefined;
  const [before, inside, behind] = [segment.slice(0, start), segment.slice(start, end), segment.slice(end + 1)];
  if (start === -1 || end < start || !LITERAL.test(before) || !LITERAL.test(behind)) return undefined;
  const letters = inside.replace(/\W+/g, '_').replace(/^_+|_+$/g, '');
  const base = /^[A-Za-z]/.test(letters) ? letters : `p_${letters}`;
  const name = names.has(base) ? `${base}_${names.size + 1}` : base;
  names.add(name);
  return `${before}{${name}}${behind}`;
}

/** Locators for the parameters whose name may tell a camera, as rows write them. */
function proposals({ parameters, body = [] }: OpenApiOperation, path: string): readonly string[] {
  const segments = path.split('/');
  const inPath = segments.flatMap((segment, at) => {
    const name = /\{(?<name>\w+)\}/.exec(segment)?.groups?.['name'];
    const isListed = segments.slice(Math.max(0, at - 2), at).some((before) => LISTS.test(before));
    return name !== undefined && (NAMES_CAMERAS.test(name) || isListed) ? [`${guessKind(name)}path:${name}`] : [];
  });
  const inQuery = parameters.filter((name) => WORD.test(name) && NAMES_CAMERAS.test(name));
  const inBody = body.filter((name) => PLACE.test(name) && NAMES_CAMERAS.test(name.slice(name.lastIndexOf('.') + 1)));
  return [
    ...inPath,
    ...inQuery.map((name) => `${guessKind(name)}query:${name}`),
    ...inBody.map((name) => `${guessKind(name)}body:${name}`),
  ];
}

/** What stands behind such a segment (`/paths/get/{name}`) is often the name of one of them. */
const LISTS = /^(?:cameras?|streams?|paths?)$/i;
const WORD = /^\w+$/;
const PLACE = /^\w+(?:\[\]\.\w+)?$/;
const guessKind = (name: string): string => (/camera/i.test(name) ? '' : 'stream:');

/** A text of the description in a comment: one line, no control characters. */
const plain = (text: string): string => text.replace(/[^\P{C}]|[\u2028\u2029]/gu, ' ').slice(0, 120);
