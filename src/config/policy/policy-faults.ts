/** Problems of route table rows beyond single values: invalid routes, missing camera locators, duplicate rows (SPEC 5). */
import {
  isOwnerKind,
  isStartedKind,
  type Narrowing,
  PATH_SHAPES,
  type TimePlace,
  writtenLocator,
  writtenNarrowing,
} from '../../domain/policy.ts';
import { writtenTimePlace } from '../../routes/parse-terms.ts';
import { type RowText, splitRoute } from '../../routes/policy-row.ts';
import type { Finding } from '../problems/problems.ts';

export function rowFindings(rows: readonly RowText[]): readonly Finding[] {
  const seen = new Set<string>();
  return rows.flatMap((row, index) => {
    const message =
      routeFault(row.route) ??
      camerasFault(row) ??
      timesFault(row) ??
      narrowFault(row) ??
      namedFault(row) ??
      viewAsFault(row) ??
      pageFault(row) ??
      signallingFault(row) ??
      startsFault(row) ??
      readingFault(row) ??
      repeatFault(row.route, seen);
    return message === undefined ? [] : [{ path: ['routes', index, 'route'], message }];
  });
}

const ROUTE = /^\S+ \/\S*$/;
const METHODS: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'WS', 'ANY'];
const SEGMENT = /^(?:[^{}]*|[^{}]*\{[A-Za-z_]\w*(?::[\w-]+)?\}[^{}]*|\{[A-Za-z_]\w*\.\.\.\})$/;
const PARAMETER = /\{(?<name>\w+)(?::(?<shape>[\w-]+))?(?<rest>\.\.\.)?\}/g;

function routeFault(route: string): string | undefined {
  const shown = JSON.stringify(route);
  if (!ROUTE.test(route)) return `${shown} is not a route: write for example "GET /api/events"`;
  const { methods, path } = splitRoute(route);
  const unknown = methods.find((method) => !METHODS.includes(method));
  if (unknown !== undefined)
    return `${JSON.stringify(unknown)} is not a method: write ${METHODS.join(', ')} (GET stands for HEAD too)`;
  const segment = path.split('/').find((part) => !SEGMENT.test(part));
  if (segment !== undefined)
    return `${JSON.stringify(segment)} is not a path segment: write text, {name}, {name:shape}, text around one {name}, or {name...}`;
  const shape = [...path.matchAll(PARAMETER)].map((match) => match.groups?.['shape']).find(isUnknownShape);
  if (shape !== undefined)
    return `${JSON.stringify(shape)} is not a shape of a parameter: write ${Object.keys(PATH_SHAPES).join(', ')}`;
  if (path.split('...}').length > 2)
    return `${shown} has two {name...}: which of them a segment belongs to is not known`;
  if (/\.\.\.\}(?:\/\{\w+\})+$/.test(path))
    return `${shown} has nothing but parameters after {name...}: write a text or a shape, such as {file:file}, behind it`;
  const names = pathParameters(path);
  return new Set(names).size < names.length ? `${shown} uses a parameter name twice: rename one` : undefined;
}

const isUnknownShape = (shape: string | undefined): boolean =>
  shape !== undefined && !Object.hasOwn(PATH_SHAPES, shape);

const pathParameters = (path: string): readonly string[] =>
  [...path.matchAll(PARAMETER)].map((match) => match.groups?.['name'] ?? '');

function camerasFault(row: RowText): string | undefined {
  const locators = row.cameras ?? [];
  if (row.access === 'camera' && locators.length === 0) return 'access is camera but no camera is named: add cameras';
  const names = pathParameters(row.route);
  const lost = locators.find(({ source, name }) => source === 'path' && !names.includes(name));
  if (lost) return `cameras has ${JSON.stringify(writtenLocator(lost))}, but the path has no such parameter`;
  const isDynamic = locators.some(({ kind, source }) => kind === 'camera' && source === 'path');
  return row.dynamic && !isDynamic
    ? 'dynamic is true but no camera is in the path: add cameras: ["path:camera"]'
    : undefined;
}

/** The parameters of the path that name the time. */
function parametersFor(place: TimePlace): readonly string[] {
  switch (place.in) {
    case 'path':
    case 'file':
      return [place.name];
    case 'hour':
      return ['month', 'day', 'hour'];
    case 'utc-hour':
      return ['date', 'hour'];
    default:
      return [];
  }
}

function timesFault({ times = [], route, cameras = [], answer }: RowText): string | undefined {
  const names = pathParameters(route);
  for (const place of times) {
    const lost = parametersFor(place).find((name) => !names.includes(name));
    if (lost !== undefined)
      return `times has ${JSON.stringify(writtenTimePlace(place))}, but the path has no parameter ${lost}`;
    const hasId = answer === 'one' || cameras.some(({ kind }) => !isStartedKind(kind) && isOwnerKind(kind));
    if (place.in === 'id' && !hasId) return 'times has "id", but cameras names none, and the answer is not one object';
  }
  return undefined;
}

type Missing = (row: RowText, parameter: string) => string | undefined;

const judgedParameter: Missing = ({ cameras }, parameter) =>
  cameras?.some(({ kind, source, name }) => kind === 'camera' && source === 'query' && name === parameter)
    ? undefined
    : `add "query:${parameter}" to cameras`;
const namedCameras: Missing = ({ cameras }) => (cameras ? undefined : 'add cameras');
const answerOne: Missing = ({ answer }) => (answer === 'one' ? undefined : 'add "answer: one"');
const answerForm: Missing = ({ answer }) =>
  answer ? undefined : 'add the form of its response, such as "answer: array" or "answer: config"';

/** What each way to narrow cannot do without: a row that forgets it would show everything. */
const NEEDED: Partial<Readonly<Record<Narrowing['how'], Missing>>> = {
  rewrite: judgedParameter,
  fanout: judgedParameter,
  check: namedCameras,
  lookup: namedCameras,
  'post-check': answerOne,
  'post-filter': answerForm,
  'rewrite-body': answerForm,
};

function narrowFault(row: RowText): string | undefined {
  const { narrow } = row;
  const missing = narrow && NEEDED[narrow.how]?.(row, 'parameter' in narrow ? narrow.parameter : '');
  return missing && `narrow is ${writtenNarrowing(narrow)}, which needs more: ${missing}`;
}

/** An admin reads it in the place of another person: nothing may come of that but the response. */
function viewAsFault({ view_as, route, access, writes, views }: RowText): string | undefined {
  if (!view_as) return undefined;
  const { methods } = splitRoute(route);
  const isRead = methods.length === 1 && methods[0] === 'GET' && !writes;
  const isStill = views === undefined || views === 'history' || views === 'browse';
  return isRead && isStill && (access === 'any' || access === 'camera')
    ? undefined
    : 'view_as is true, which is for rows of GET alone, with access any or camera, that write nothing and show nothing live: remove it';
}

/** What these keys are about: a row without it would note or compare nothing. */
function namedFault({ starts, known, cameras = [] }: RowText): string | undefined {
  const isNamed = cameras.some(({ kind, source }) => source !== 'body' && (kind === 'camera' || kind === 'stream'));
  if (isNamed || (!starts && !known)) return undefined;
  return `${starts ? `starts is ${starts}` : 'known is true'}, but no camera or stream is named in path or query: add cameras`;
}

/** A start page is opened by its address alone. */
function pageFault({ page, route, cameras = [] }: RowText): string | undefined {
  if (!page) return undefined;
  const { methods } = splitRoute(route);
  const inPath = cameras.filter(({ source }) => source === 'path').map(({ name }) => name);
  const other = pathParameters(route).find((name) => !inPath.includes(name));
  const isPlain =
    methods.length === 1 && methods[0] === 'GET' && cameras.every(({ kind }) => kind === 'camera' || kind === 'stream');
  return isPlain && other === undefined
    ? undefined
    : 'page is true, which is for rows of GET alone whose parameters name cameras or streams: remove it';
}

/** The messages of a WebSocket are judged as offers of a stream server. */
function signallingFault({ signalling, route }: RowText): string | undefined {
  const isOfBody = signalling === 'whep' || signalling === 'candidates';
  return isOfBody && splitRoute(route).methods.includes('WS')
    ? `signalling is ${signalling}, which is the body of a request: write true for a WebSocket`
    : undefined;
}

/** What the answer is read by means nothing where it is not read. */
function readingFault({ answer, named_by, hidden, paging }: RowText): string | undefined {
  if ((answer === 'page') !== (paging !== undefined))
    return answer === 'page'
      ? 'answer is page, which needs more: add paging'
      : 'paging is for a row with "answer: page"';
  const lost = [named_by !== undefined && 'named_by', hidden && 'hidden'].find((key) => key);
  return lost && !READ.some((form) => form === answer)
    ? `${lost} is for a row with an answer that is read: add "answer: ${READ.join('", "answer: ')}"`
    : undefined;
}

const READ = ['array', 'one', 'page'] as const;

/** The camera of what is started is that of the path. */
const startsFault = ({ starts, route }: RowText): string | undefined =>
  starts === 'whep' && !pathParameters(route).includes('camera')
    ? 'starts is whep, but the path has no parameter camera: name the camera in the path'
    : undefined;

/** Two rows for one method and pattern: the second would never be used. */
function repeatFault(route: string, seen: Set<string>): string | undefined {
  const { methods, path } = splitRoute(route);
  const pattern = path.replaceAll(PARAMETER, (_, _name, _shape, rest) => (rest ? '{...}' : '{}'));
  const keys = methods.map((method) => `${method} ${pattern}`);
  const repeated = keys.some((key) => seen.has(key));
  for (const key of keys) seen.add(key);
  return repeated ? `${JSON.stringify(route)} is in the table already: remove one of the two` : undefined;
}
