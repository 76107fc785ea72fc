/** Records of the ledger as the page of activity shows them: what is asked for, rows, sums by day, and sentences (SPEC 14). Pure. */

import type { z } from 'zod';
import { isPictureKind, VIEWING_KINDS } from '../../../domain/policy.ts';
import { type ConsoleTexts, said } from '../../../locales/texts.ts';
import { daysFrom } from '../../../ui/pages/shared/events/bars.ts';
import { own, readText } from '../../../ui/pages/shared/untrusted.ts';
import { entryName, shortList, words } from '../../../ui/pages/shared/words.ts';
import type { RECORD } from '../ledger-query.ts';
import type { DAY_SUM } from '../ledger-routes.ts';

export type ActivityRecord = z.output<typeof RECORD>;

/** A text of the detail. */
export const readDetail = ({ detail }: Pick<ActivityRecord, 'detail'>, name: string): string | undefined =>
  readText(detail?.[name]);

/** `records`: the newest first. Viewings that go on stand in one row. */
export function toRows(records: readonly ActivityRecord[]): readonly ActivityRow[] {
  const runs: ActivityRecord[][] = [];
  for (const record of records) {
    const run = runs.at(-1);
    if (run?.[0] && goesOn(run[0], record)) run.push(record);
    else runs.push([record]);
  }
  return runs.flatMap(toRow);
}

const goesOn = (one: ActivityRecord, other: ActivityRecord): boolean =>
  (['kind', 'user', 'credential', 'site'] as const).every((name) => one[name] === other[name]) &&
  (isPictureKind(one.kind)
    ? (one.kind === 'browse' || one.camera === other.camera) && readDetail(one, 'seen') === readDetail(other, 'seen')
    : isOfCurtain(one) && readDetail(one, 'what') === readDetail(other, 'what') && one.from - other.from < 2);

/** One request draws, or opens, many cameras: a record each. */
const isOfCurtain = (record: ActivityRecord): boolean => readDetail(record, 'what')?.startsWith('curtain-') === true;

function toRow(run: readonly ActivityRecord[]) {
  const [newest, oldest] = [run[0], run.at(-1)];
  if (!newest || !oldest) return [];
  const isMove = isOfCurtain(newest);
  const cameras = new Set(run.flatMap((record) => record.camera ?? readDetail(record, 'camera') ?? []));
  const camera = isMove ? { camera: shortList([...cameras].reverse().map(entryName)) } : {};
  const several = { camera: null, detail: { ...newest.detail, ...camera, cameras: String(cameras.size) } };
  return [
    {
      /** The newest of its records. Of several cameras none is the one. */
      record: cameras.size > 1 ? { ...newest, ...several } : newest,
      count: isMove ? 1 : run.length,
      /** Unix seconds: the first beginning and the last end. */
      from: oldest.from,
      to: newest.to,
      /** Seconds in all; small pictures are looked at beside each other. */
      duration: newest.kind === 'browse' ? 0 : total(run.map(({ from, to }) => to - from)),
      cameras,
      /** The id of the event that was seen last, where one is known. */
      event: run.map((record) => readDetail(record, 'event')).find((id) => id !== undefined),
    },
  ];
}
export type ActivityRow = ReturnType<typeof toRow>[number];

const total = (amounts: readonly number[]): number => amounts.reduce((sum, amount) => sum + amount, 0);

/** `user`: '' where none is known. */
export type WatchedDay = Pick<z.output<typeof DAY_SUM>, 'day' | 'user' | 'credential' | 'minutes'>;

const isLent = (credential: string | null | undefined): credential is string =>
  /^(?:link|screen)(?::|$)/.test(credential ?? '');

/** `kind` absent: a viewing. */
export type Viewed = Pick<ActivityRecord, 'user'> & {
  readonly kind?: string;
  readonly credential?: string | null | undefined;
};

/** Who watched: a person, or the link or screen by which others watch in the person's name. Of what is no viewing, who did it. */
export const viewerOf = ({ kind = 'live', user, credential }: Viewed): string =>
  isLent(credential) && isPictureKind(kind) ? credential : (user ?? '');

/** The viewer as people read it: “Link ‘Van’ (by admin)”. */
export function viewerText(viewer: string, user: string | null | undefined, names: CredentialNames): string {
  if (!isLent(viewer)) return viewer;
  const text = credentialText(viewer, names);
  return user ? words.ledger.byOf({ viewer: text, user }) : text;
}

/** A bar for each day of the range, in the clock of the viewer, stacked by viewer; the one who watched most first. */
export function bucketDays(watched: readonly WatchedDay[], first: Date, count: number) {
  const days = daysFrom(first, count);
  const people = [...Map.groupBy(watched, viewerOf)].map(([name, own]) => {
    const counts = days.map(({ day }) => total(own.map((one) => (one.day === day ? one.minutes : 0))));
    return { name, counts, total: Math.round(total(counts)) };
  });
  people.sort((one, other) => other.total - one.total);
  return { starts: days.map(({ start }) => start), people };
}

/** Names by what the ledger calls a credential: `token:<id>`, `link:<id>`, `screen:<id>`. */
export type CredentialNames = ReadonlyMap<string, string>;

/** A token, a link or a screen. */
export type Named = { readonly id: string; readonly name?: string | null };

/** Those of them that have a name. */
export const namesIn = (kind: 'token' | 'link' | 'screen', list: readonly Named[]): (readonly [string, string])[] =>
  list.flatMap(({ id, name }) => (name ? [[`${kind}:${id}`, name] as const] : []));

/** The number of letters of an id that tell two apart. */
const SHOWN_LETTERS = 8;

export function credentialText(credential: string, names: CredentialNames): string {
  const [kind = '', id = ''] = credential.split(':', 2);
  const name = names.get(credential);
  const what = own(words.ledger.credentials, kind) ?? kind;
  if (kind === 'oidc') return `${what} ${id}`;
  return name === undefined ? `${what} ${id.slice(0, SHOWN_LETTERS)}`.trim() : words.ledger.named({ what, name });
}

/** The names in records outlive what they name. */
export const namesInRecords = (records: readonly ActivityRecord[]): (readonly [string, string])[] =>
  records.flatMap((record) => {
    const name = isPictureKind(record.kind) && (readDetail(record, 'link') ?? readDetail(record, 'screen'));
    return record.credential && name ? [[record.credential, name] as const] : [];
  });

/** The kinds of records of a group. */
const KINDS = {
  all: '',
  viewings: VIEWING_KINDS.join(','),
  browsing: 'browse',
  logins: 'login,login-failed,logout',
  failed: 'login-failed',
  changes: 'change,refusal,link',
};
export const GROUPS = Object.keys(KINDS) as (keyof typeof KINDS)[];

/** The days that a stretch touches. */
const DAYS = { today: 1, night: 2, yesterday: 1, days7: 7, days30: 30, days90: 90 };
type Range = keyof typeof DAYS;
export const RANGES = Object.keys(DAYS) as Range[];

const FIRST_FILTER = { user: '', camera: '', site: '', group: 'all', range: 'days7' } as const;

/** The filter in the address of the page; what is not known there is as at first. */
export const readFilter = (search: URLSearchParams) => ({
  /** A person; or a link or screen, as `link:<id>`. */
  user: search.get('user') ?? '',
  camera: search.get('camera') ?? '',
  site: search.get('site') ?? '',
  group: GROUPS.find((group) => group === search.get('group')) ?? FIRST_FILTER.group,
  range: RANGES.find((range) => range === search.get('range')) ?? FIRST_FILTER.range,
});
export type ActivityFilter = Readonly<ReturnType<typeof readFilter>>;

export const filterSearch = (filter: ActivityFilter): URLSearchParams =>
  new URLSearchParams(
    Object.entries(filter).filter(([name, value]) => value !== FIRST_FILTER[name as keyof ActivityFilter]),
  );

/** Groups with viewings: minutes are shown for them. */
export const hasMinutes = ({ group }: ActivityFilter): boolean => group === 'all' || group === 'viewings';

/** The one camera that a row is about; '' for none, several, or a pattern. */
export function cameraOf({ cameras }: ActivityRow): string {
  const [camera = '', ...more] = cameras;
  return more.length > 0 || camera.includes('*') ? '' : camera;
}

/** `by`: the camera that was watched, or the person who did. */
export const viewingsQuery = (by: { readonly camera: string } | { readonly user: string }, filter: ActivityFilter) =>
  ({ ...filter, user: '', camera: '', ...by, group: 'viewings' }) as const;

const HOUR = 3600;
const NIGHT_BEGINS = 22 * HOUR;
const NIGHT_ENDS = 6 * HOUR;

/** The stretch that is meant, by the clock of the viewer. The last night ends at six, or now. Unix seconds; `first` is the midnight before, from which whole days are counted. */
export function toSpan(range: Range, now: Date) {
  const midnight = (daysAgo: number): Date => new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo);
  const seconds = (date: Date): number => date.getTime() / 1000;
  const isBefore = range === 'night' || range === 'yesterday';
  const days = DAYS[range];
  const first = midnight(isBefore ? 1 : days - 1);
  const [begins, ends] = range === 'night' ? [NIGHT_BEGINS, NIGHT_ENDS] : [0, 0];
  return { after: seconds(first) + begins, before: isBefore ? seconds(midnight(0)) + ends : undefined, first, days };
}
export type Span = ReturnType<typeof toSpan>;

export function toQuery(
  { user, site, camera, group }: Omit<ActivityFilter, 'range'>,
  { after, before }: Pick<Span, 'after' | 'before'>,
): string {
  const query = new URLSearchParams({ after: String(after) });
  const who = isLent(user) ? { credential: user } : { user };
  for (const [name, value] of Object.entries({ before, ...who, site, camera, kind: KINDS[group] }))
    if (value !== undefined && value !== '') query.set(name, String(value));
  return query.toString();
}

type ActWords = ConsoleTexts['ledger']['sentences'];
type ActNames = ReturnType<typeof sentenceValues>;
type Said = Pick<ActivityRecord, 'kind' | 'user' | 'camera' | 'credential' | 'detail'>;

/** `count`: records that are told in one line. */
export function toSentence(
  record: Said,
  names: CredentialNames,
  count = 1,
  text: ActWords = words.ledger.sentences,
): string {
  if (record.kind === 'browse') return sentence(record, sentenceValues(record, names), text);
  const times = Math.max(count, Number(readDetail(record, 'times') ?? 1) || 1);
  return text.times({ sentence: sentence(record, sentenceValues(record, names), text), times });
}

function sentence(record: Said, names: ActNames, text: ActWords): string {
  const { kind } = record;
  const viewing = own(text.viewings, kind);
  if (viewing) return viewing(names);
  const what = readDetail(record, 'what');
  // Names that no account has stand apart.
  const isOfNobody = what === 'login' && !record.user && readDetail(record, 'names') !== undefined;
  const reason = isOfNobody ? 'no-user' : readDetail(record, 'reason');
  const failure = kind === 'login-failed' && own(text.failures, reason);
  if (failure && what !== 'token-refused') return failure;
  const provider = /^oidc:(?<name>.+)$/.exec(record.credential ?? '')?.groups?.['name'];
  if (kind === 'login' && provider !== undefined) return text.loginBy.provider({ name: provider });
  if (kind === 'login' && readDetail(record, 'factor') === 'passkey') return text.loginBy.passkey;
  if (kind === 'login') return text.others.login;
  const act = own(text.acts, what);
  if (act) return said(kind === 'refusal' || kind === 'login-failed' ? act.refused : act.done, names);
  return own(text.others, kind) ?? text.others.notice;
}

/** Texts that are not known are empty. */
function sentenceValues(record: Said, names: CredentialNames) {
  const text = (name: string): string => readDetail(record, name) ?? '';
  const user = text('user') || (record.user ?? '');
  const camera = entryName(record.camera ?? text('camera'));
  const thing = names.get(`token:${text('tokenId')}`) ?? names.get(`link:${text('linkId')}`) ?? text('screen');
  const records = text('records');
  return {
    user,
    hasUser: user !== '',
    camera,
    hasCamera: camera !== '',
    cameras: camera === '' ? Number(text('cameras')) : 1,
    role: text('role'),
    thing,
    hasThing: thing !== '',
    provider: text('provider'),
    request: [text('method'), text('path')].filter((part) => part !== '').join(' '),
    setting: text('setting'),
    records: Number(records),
    hasRecords: records !== '',
  };
}

/** The labelled rest of the detail. A name without a label is shown nowhere. */
export const recordFields = (
  record: Pick<ActivityRecord, 'detail'>,
  text: ActWords = words.ledger.sentences,
): readonly (readonly [string, string])[] =>
  Object.entries(text.fields).flatMap(([name, label]) => {
    const value = readDetail(record, name);
    return value === undefined ? [] : [[label, value] as const];
  });
