/** The answer to "may this person see this camera?" as a sentence, and what would change it. Pure. */
import type { z } from 'zod';
import { VIEWING_KINDS, type ViewingKind } from '../../../domain/policy.ts';
import type { Explanation as ExplanationOfServer } from '../../../gateway/explain/explain.ts';
import type { ACCESS } from '../../../gateway/explain/explain-route.ts';
import type { RoleRecord, UserRecord } from '../shared/answers.ts';
import { problemText } from '../shared/form-faults.ts';
import { matching } from '../shared/table-rows.ts';
import { cameraName, formatShortMoment, shortList, words } from '../shared/words.ts';
import { hoursInWords } from './typed-hours.ts';

/** The dialogs that change the answer. */
export type Remedy = 'role' | 'cameras' | 'validity' | 'live';

export type AccessAnswer = { readonly isYes: boolean; readonly text: string; readonly remedies: readonly Remedy[] };

/** `role`: the role of the user as it is listed; undefined: not known here. */
type AnswerFacts = {
  readonly user: UserRecord;
  readonly role: RoleRecord | undefined;
  readonly camera: string;
  readonly shows: ViewingKind;
};

export function toAnswer(told: Explanation, facts: AnswerFacts): AccessAnswer {
  const { verdict, reason = '', drawn } = told;
  const values = answerValues(told, facts);
  if (verdict === 'admitted') return { isYes: true, text: yesText(told, facts, values), remedies: ['role'] };
  const [text, ...remedies] = REFUSED[reason] ?? (['noBecause'] as const);
  if (text === 'noCamera' && drawn?.includes(facts.camera))
    return { isYes: false, text: words.access.noBecause({ message: words.access.drawn }), remedies: ['live'] };
  return { isYes: false, text: words.access[text](values), remedies };
}

/** Why it is refused, in the language of the page. */
export const refusalText = (told: Explanation): string =>
  problemText(told, words.problems) ?? words.ui.common.status({ status: told.status ?? 0 });

type RefusalName = `no${'Camera' | 'Verb' | 'Hours' | 'AccountEnded' | 'Role' | 'AccountBegun' | 'Factor' | 'Because'}`;

/** The text that says so, and what would change it. */
// biome-ignore format: a table
const REFUSED: Readonly<Record<string, readonly [text: RefusalName, ...Remedy[]]>> = {
  'camera-not-in-role':     ['noCamera', 'role', 'cameras'],
  // While a camera is drawn, each one that the person does not see is refused as an unknown path is.
  'route-unlisted':         ['noCamera', 'role', 'cameras'],
  'verb-denied':            ['noVerb', 'role', 'cameras'],
  'outside-hours':          ['noHours', 'cameras', 'role'],
  'account-ended':          ['noAccountEnded', 'validity'],
  'role-missing':           ['noRole', 'role'],
  'account-not-begun':      ['noAccountBegun', 'validity'],
  'second-factor-required': ['noFactor'],
};

/** What the texts of answers tell. */
function answerValues(told: Explanation, { user, role, shows }: AnswerFacts) {
  const { roles = [], cameras, opens, reason } = told;
  // Several roles have hours of their own each.
  const hours = roles.length > 1 ? '' : (role?.hours ?? []).map((line) => hoursInWords(line)).join('; ');
  const listed = shortList(Array.isArray(cameras) ? cameras.map(cameraName) : []);
  const moment = reason === 'account-not-begun' ? user.valid_from : user.valid_until;
  return {
    name: user.username,
    // A provider may give several.
    role: roles.join(', ') || user.role,
    cameras: listed,
    hasCameras: listed !== '',
    what: words.access.verbs[shows],
    hours,
    hasHours: hours !== '',
    opens: momentOf(opens?.at),
    hasOpens: opens !== undefined,
    moment: momentOf(moment),
    hasMoment: moment !== undefined,
    message: refusalText(told),
  };
}

function yesText({ since, cameras }: Explanation, { shows }: AnswerFacts, values: ReturnType<typeof answerValues>) {
  const limits = [
    words.access[cameras === 'all' ? 'yesAll' : 'yesRole'](values),
    shows !== 'live' && since !== undefined ? words.access.since({ moment: momentOf(since) }) : '',
    values.hasHours ? words.access.hours(values) : '',
    values.hasMoment ? words.access.until(values) : '',
  ];
  return limits.filter((part) => part !== '').join(' ');
}

const momentOf = (time: number | undefined): string => (time === undefined ? '' : formatShortMoment(time));

/** What is undefined is absent from JSON. */
export type Explanation = Pick<ExplanationOfServer, 'verdict' | 'message'> & Partial<ExplanationOfServer>;

export type CameraAccess = z.output<typeof ACCESS>;
export type Holder = CameraAccess['holders'][number];

/** What a cell says: seen, seen but not in every way, seen when the hours or the account begin, drawn, or not at all. */
export function toSight({ cameras, drawn = [], denied, closed, mustEnrol }: Holder, camera: string) {
  // What has ended does not begin again by itself.
  if (closed === 'account-ended' || closed === 'role-missing') return 'none';
  if (drawn.includes(camera)) return 'drawn';
  if (cameras !== 'all' && !cameras.includes(camera)) return 'none';
  if (closed !== undefined || mustEnrol) return 'closed';
  const isDenied = (verb: string): boolean => denied.some((one) => one === verb);
  if (VIEWING_KINDS.every(isDenied)) return 'none';
  return VIEWING_KINDS.some(isDenied) ? 'part' : 'all';
}

/** People alone, by role, each group by name; admins first, then viewers. */
export function byRole(holders: readonly Holder[]) {
  const people = holders.filter(({ kind }) => kind === 'user');
  const rank = (role: string): number => (role === 'admin' ? 0 : role === 'viewer' ? 1 : 2);
  return [...Map.groupBy(people, ({ role }) => role)]
    .map(([role, those]) => ({ role, people: those.sort((one, other) => one.name.localeCompare(other.name)) }))
    .sort((one, other) => rank(one.role) - rank(other.role) || one.role.localeCompare(other.role));
}

/** The people whose name or role, and the cameras whose name, hold what is looked for; of a word that no camera holds, all cameras. */
export function found(
  { cameras, holders }: CameraAccess,
  { person, camera }: { readonly person: string; readonly camera: string },
  nameOf: (camera: string) => string,
): CameraAccess {
  return {
    cameras: [...matching(cameras, camera, (one) => `${one}\n${nameOf(one)}`)],
    holders: [...matching(holders, person, ({ name, role }) => `${name}\n${role}`)],
  };
}
