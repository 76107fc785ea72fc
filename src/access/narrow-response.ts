/** The response filter: cuts a response body to what its reader may see, by a table of forms (SPEC 5, `post-filter`). */

import { boundedJson, isRecord, type JsonRecord, mapJson, mapMembers } from '../domain/json.ts';
import { type CommonForm, isCommonForm, type ResponseForm } from '../domain/policy.ts';
import { err, ok, type Result } from '../domain/result.ts';
import type { CameraView } from './camera-view.ts';
import type { AnswerReader, NvrAdapter } from './nvr-adapter.ts';
import type { AnswerReading } from './query.ts';
import { readMember } from './recorder-layout.ts';
import { isSince, withoutOlder } from './time-locators.ts';
import { onlySeenObjects, seesNamed, withoutForeignObjects } from './without-foreign.ts';
import { withoutSecrets, withoutSource } from './without-secrets.ts';

/** What is left for the reader, or why nothing is passed on. */
export type Narrowed<Left> = Result<Left, 'camera-not-in-role' | 'history-too-old' | 'nvr-unexpected-form'>;

/** Not of the form that the row names: what is in it is unknown. */
export const UNREADABLE = err('nvr-unexpected-form' as const);

type NarrowForm = (json: unknown, reader: AnswerReader) => Narrowed<unknown>;

/** The forms that any NVR may have. */
const COMMON: Readonly<Record<CommonForm, NarrowForm>> = {
  array: (json, { view, reading }) => left(Array.isArray(json) ? narrowArray(json, view, reading?.namedBy) : undefined),
  one: (json, { view, reading }) => narrowOne(json, view, reading?.namedBy),
  page: (json, { view, reading }) => left(reading && narrowPage(json, view, reading)),
  nested: (json, { view }) => left(isRecord(json) || Array.isArray(json) ? onlySeenObjects(json, view) : undefined),
  streams: (json, { view }) => left(isRecord(json) ? narrowStreams(json, view) : undefined),
  times: (json, { view }) => left(Array.isArray(json) ? withoutForeignObjects(sinceOnly(json, view), view) : undefined),
};

/** Nothing: the answer has another form. */
const left = (found: unknown): Narrowed<unknown> => (found === undefined || found === null ? UNREADABLE : ok(found));

/** `nvr` has the other forms. */
export function narrowResponse(
  form: ResponseForm,
  body: string,
  reader: AnswerReader,
  { answers }: Pick<NvrAdapter, 'answers'>,
): Narrowed<string> {
  const rule = isCommonForm(form) ? undefined : answers[form];
  if (rule?.reads === 'text') {
    const text = rule.narrow(body, reader);
    return typeof text === 'string' ? ok(text) : UNREADABLE;
  }
  const narrow: NarrowForm = isCommonForm(form) ? COMMON[form] : (json) => left(rule?.narrow(json, reader));
  const json = boundedJson(body);
  const narrowed = json === undefined ? UNREADABLE : narrow(json, reader);
  // An admin may read all of it, and can repair an NVR whose configuration has another form.
  if (narrowed === UNREADABLE && reader.view.clearance === 'admin') return ok(body);
  if (!narrowed.ok) return narrowed;
  const hidden = reader.view.clearance === 'admin' ? undefined : reader.reading?.hidden;
  const passed = hidden ? withoutMembers(narrowed.value, hidden) : narrowed.value;
  return ok(passed === json ? body : JSON.stringify(passed));
}

/** An object without a camera has not the form that the row names. */
function narrowOne(json: unknown, view: CameraView, namedBy = 'camera'): Narrowed<unknown> {
  const camera = readMember(json, namedBy);
  if (typeof camera !== 'string' || camera === '') return UNREADABLE;
  if (!seesNamed(camera, view)) return err('camera-not-in-role');
  const isOld = view.since !== undefined && !isSince(json, view.since);
  return isOld ? err('history-too-old') : ok(withoutForeignObjects(json, view));
}

const sinceOnly = (elements: readonly unknown[], { since }: CameraView): readonly unknown[] =>
  since === undefined
    ? elements
    : elements.filter((element) => isSince(element, since)).map((element) => withoutOlder(element, since));

const narrowArray = (elements: readonly unknown[], view: CameraView, namedBy = 'camera'): unknown =>
  withoutForeignObjects(
    sinceOnly(elements, view).filter((element) => isRecord(element) && seesNamed(element[namedBy], view)),
    view,
  );

/** Undefined where it is no such page. A restricted reader gets one of the list as it would be without the others' elements. */
function narrowPage(json: unknown, view: CameraView, { page, namedBy = 'camera' }: AnswerReading): unknown {
  const elements = page && isRecord(json) ? json[page.list] : undefined;
  if (!page || !Array.isArray(elements)) return undefined;
  if (view.clearance !== 'restricted') return json;
  const seen = elements.filter((element) => isRecord(element) && seesNamed(element[namedBy], view));
  const { size, number } = page.asked;
  // Other members may be sums over all elements: they are left out.
  return {
    [page.count]: seen.length,
    [page.pages]: Math.ceil(seen.length / size),
    [page.list]: withoutForeignObjects(seen.slice(number * size, (number + 1) * size), view),
  };
}

const withoutMembers = (json: unknown, names: readonly string[]): unknown =>
  mapJson(json, (value, key = '') => (names.includes(key) ? undefined : withoutMembers(value, names)));

/** An object by stream: the streams that a restricted reader sees. Or one stream, of which the row has judged the name. */
function narrowStreams(streams: JsonRecord, view: CameraView): unknown {
  if (isStream(streams)) return withoutForeignObjects(withoutStreamSources(streams), view);
  // A stream that was opened by its source has that for its name, passwords included.
  const isSeen = (stream: string): boolean =>
    !stream.includes(':') &&
    (view.clearance !== 'restricted' || view.layout.streams.get(stream)?.some((owner) => view.sees(owner)) === true);
  return mapMembers(streams, (told, stream) => (isSeen(stream) ? withoutStreamSources(told) : undefined));
}

const isStream = ({ producers }: JsonRecord): boolean => Array.isArray(producers) || producers === null;

/** Members that hold a whole source, or what a camera says of itself and its addresses. */
const SOURCE_KEYS: ReadonlySet<string> = new Set(['source', 'sdp', 'cmd', 'command', 'args']);

/** The address and the browser of a person who watches. */
const PERSON_KEYS: ReadonlySet<string> = new Set(['remote_addr', 'user_agent']);
/** What the stream server sends to. */
const isConsumer = ({ senders, bytes_send }: JsonRecord): boolean => senders !== undefined || bytes_send !== undefined;

/** One stream: of an address the scheme and the host are left, of any other source its kind. */
const withoutStreamSources = (told: unknown): unknown => withoutSecrets(withoutSources(told));

function withoutSources(told: unknown): unknown {
  if (typeof told === 'string') return withoutSource(told);
  const isOfConsumer = isRecord(told) && isConsumer(told);
  const isHidden = (key: string): boolean => SOURCE_KEYS.has(key) || (isOfConsumer && PERSON_KEYS.has(key));
  return mapJson(told, (value, key = '') => (isHidden(key.toLowerCase()) ? undefined : withoutSources(value)));
}
