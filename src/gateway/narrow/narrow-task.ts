/** The work on one response, from bytes to bytes: the same in this thread and in the narrowing thread (SPEC 5). */
import { type PlainView, withSight } from '../../access/camera-view.ts';
import { type Narrowed, narrowResponse, UNREADABLE } from '../../access/narrow-response.ts';
import type { AskNvr, NvrAdapter } from '../../access/nvr-adapter.ts';
import type { AnswerReading } from '../../access/query.ts';
import { readMember } from '../../access/recorder-layout.ts';
import { playlistBelow } from '../../access/thing-paths.ts';
import { boundedJson, mapJson, UnexpectedForm } from '../../domain/json.ts';
import type { AdapterForm, ComposedList, ResponseForm } from '../../domain/policy.ts';
import { ok, unreachable } from '../../domain/result.ts';
import { utf8 } from '../../domain/text.ts';
import { addressBelow, type PublicPlace } from '../response/public-place.ts';

/** Plain data, so that a thread can be given it. */
export type NarrowTask =
  | {
      readonly kind: 'narrow';
      readonly form: ResponseForm;
      readonly body: Uint8Array<ArrayBuffer>;
      readonly view: PlainView;
      /** What the form's rule found out beforehand. */
      readonly known?: unknown;
      readonly reading?: AnswerReading;
    }
  /** Lists of one camera each, as JSON. Undefined for no form: then they name no camera. */
  | {
      readonly kind: 'join';
      readonly lists: readonly string[];
      readonly form: ResponseForm | undefined;
      readonly view: PlainView;
      readonly limit: number | undefined;
      readonly reading?: AnswerReading | undefined;
    }
  /** A list that was composed, as JSON, cut to a smaller limit. */
  | { readonly kind: 'cut'; readonly list: ComposedList; readonly text: string; readonly limit: number }
  /** Addresses that the server wrote of itself, as clients see them. */
  | {
      readonly kind: 'addresses';
      readonly body: Uint8Array<ArrayBuffer>;
      /** The members that hold them, at any depth. */
      readonly members: readonly string[];
      readonly place: PublicPlace;
    }
  /** The playlist of one shared thing, whose files must stay below the directory. */
  | { readonly kind: 'playlist'; readonly body: Uint8Array<ArrayBuffer>; readonly directory: string };

export type NarrowedBytes = Narrowed<Uint8Array<ArrayBuffer>>;

/** `nvr` has the rule of the form. */
export function narrowNow(task: NarrowTask, nvr: NvrAdapter): NarrowedBytes {
  const narrowed = narrowedText(task, nvr);
  return narrowed.ok ? ok(new TextEncoder().encode(narrowed.value)) : narrowed;
}

function narrowedText(task: NarrowTask, nvr: NvrAdapter): Narrowed<string> {
  switch (task.kind) {
    case 'narrow':
      return narrowedBody(task, nvr);
    case 'join':
      return joinLists(task, nvr);
    case 'cut':
      return ok(cutList(task, nvr));
    case 'addresses':
      return written(task.body, (text) => withAddressesAt(text, task.members, task.place));
    case 'playlist':
      return written(task.body, (text) => playlistBelow(text, task.directory));
    default:
      return unreachable(task);
  }
}

const cutList = ({ list, text, limit }: NarrowTask & { kind: 'cut' }, { lists }: NvrAdapter): string =>
  JSON.stringify(lists[list]?.limit?.cut(JSON.parse(text), limit) ?? []);

function written(body: Uint8Array, write: (text: string) => string | undefined): Narrowed<string> {
  const text = utf8(body);
  const left = text === undefined ? undefined : write(text);
  return left === undefined ? UNREADABLE : ok(left);
}

function narrowedBody(
  { form, body, view, known, reading }: NarrowTask & { kind: 'narrow' },
  nvr: NvrAdapter,
): Narrowed<string> {
  const text = utf8(body);
  if (text === undefined) return UNREADABLE;
  return narrowResponse(form, text, { view: withSight(view), known, reading }, nvr);
}

/** One list of several: each element once, in order, and no more of them than were asked for (SPEC 5, `fanout`). */
function joinLists(
  { lists, form, limit, reading, view }: NarrowTask & { kind: 'join' },
  nvr: NvrAdapter,
): Narrowed<string> {
  const elements = new Map<string, unknown>();
  for (const text of lists) {
    const list = boundedJson(text);
    if (!Array.isArray(list)) return UNREADABLE;
    for (const element of list) elements.set(JSON.stringify(element), element);
  }
  const inOrder = [...elements].sort(
    ([one, first], [other, second]) => elementTime(first) - elementTime(second) || (one < other ? -1 : 1),
  );
  const joined = `[${inOrder.map(([text]) => text).join(',')}]`;
  // An NVR that does not know the parameter sent the elements of all cameras, once for each camera.
  const narrowed = form ? narrowResponse(form, joined, { view: withSight(view), reading }, nvr) : ok(joined);
  if (!narrowed.ok || limit === undefined || !form) return narrowed;
  return ok(JSON.stringify(JSON.parse(narrowed.value).slice(0, limit)));
}

/** Rows of the timeline are sorted by time, names by the alphabet. */
const elementTime = (element: unknown): number => Number(readMember(element, 'timestamp') ?? 0);

/** Undefined of what is no JSON. `members` hold the addresses, at any depth. */
export function withAddressesAt(text: string, members: readonly string[], place: PublicPlace): string | undefined {
  const json = boundedJson(text);
  return json === undefined ? undefined : JSON.stringify(addressesIn(json, members, place));
}

const addressesIn = (json: unknown, members: readonly string[], place: PublicPlace): unknown =>
  mapJson(json, (value, key = '') =>
    typeof value === 'string' && members.includes(key)
      ? wholeAddress(value, place)
      : addressesIn(value, members, place),
  );

/** A program reads it without knowing where the answer came from. */
function wholeAddress(value: string, place: PublicPlace): string {
  const address = addressBelow(value, place);
  return address === value ? value : `${place.origin}${address}`;
}

/** Plain data, so that a thread can be given it. */
export type AskTask =
  /** Gives the list as JSON. */
  | {
      readonly kind: 'compose';
      readonly list: ComposedList;
      readonly view: PlainView;
      readonly limit: number | undefined;
    }
  /** Gives what the rule of the form knows. */
  | { readonly kind: 'know'; readonly form: AdapterForm; readonly view: PlainView };

export async function askNow(task: AskTask, ask: AskNvr, { lists, answers }: NvrAdapter): Promise<unknown> {
  const view = withSight(task.view);
  if (task.kind === 'compose') return JSON.stringify(await lists[task.list]?.compose({ view, limit: task.limit, ask }));
  const knows = answers[task.form]?.knows;
  if (typeof knows !== 'function') throw new UnexpectedForm(`nothing is asked for the form ${task.form}`);
  return knows(view, ask);
}
