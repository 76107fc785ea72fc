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
export type Remedy = 'role' | 'cameras' | 'validity' | 'curtain';

export type AccessAnswer = { readonly isYes: boolean; readonly text: string; readonly remedies: readonly Remedy[] };

/** `role`: the role of the user as it is listed; undefined: not known here. */
type AnswerFacts = {
  readonly user: UserRecord;
  readonly role: RoleRecord | undefined;
  readonly camera: string;
  readonly shows: ViewingKind;
};

export function toAnswer(explanation: Explanation, facts: AnswerFacts): AccessAnswer {
  if (explanation.verdict === 'admitted') return { isYes: true, text: yesText(explanation, facts), remedies: ['role'] };
  const { reason = '', drawn } = explanation;
  const refused = REFUSED[reason] ?? OTHER;
  const { text, remedies } = refused === NO_CAMERA && drawn?.includes(facts.camera) ? DRAWN : refused;
  return { isYes: false, text: text(explanation, facts), remedies };
}

/** Why it is refused, in the language of the page. */
export const refusalText = (told: Explanation): string =>
  problemText(told, words.problems) ?? words.ui.common.status({ status: told.status ?? 0 });

type Refused = { text: (explanation: Explanation, facts: AnswerFacts) => string; remedies: readonly Remedy[] };

const NO_CAMERA: Refused = {
  remedies: ['role', 'cameras'],
  text: (told, facts) =>
    words.access.noCamera({ role: roleIn(told, facts), cameras: listed(told), hasCameras: listed(told) !== '' }),
};

const DRAWN: Refused = {
  remedies: ['curtain'],
  text: () => words.access.noBecause({ message: words.curtain.why }),
};

const OTHER: Refused = { remedies: [], text: (told) => words.access.noBecause({ message: refusalText(told) }) };

// biome-ignore format: a table
const REFUSED: Readonly<Record<string, Refused>> = {
  'camera-not-in-role':     NO_CAMERA,
  // While a camera is drawn, each one that the person does not see is refused as an unknown path is.
  'route-unlisted':         NO_CAMERA,
  'verb-denied':            { remedies: ['role', 'cameras'], text: (told, facts) => words.access.noVerb({ role: roleIn(told, facts), what: words.access.verbs[facts.shows] }) },
  'outside-hours':          { remedies: ['cameras', 'role'], text: (told, facts) => words.access.noHours({ role: roleIn(told, facts), hours: hoursIn(told, facts), hasHours: hoursIn(told, facts) !== '', opens: momentOf(told.opens?.at), hasOpens: told.opens !== undefined }) },
  'account-ended':          { remedies: ['validity'],        text: (_, { user }) => words.access.noAccountEnded({ name: user.username, moment: momentOf(user.valid_until), hasMoment: user.valid_until !== undefined }) },
  'role-missing':           { remedies: ['role'],            text: (_, { user }) => words.access.noRole({ name: user.username }) },
  'account-not-begun':      { remedies: ['validity'],        text: (_, { user }) => words.access.noAccountBegun({ name: user.username, moment: momentOf(user.valid_from), hasMoment: user.valid_from !== undefined }) },
  'second-factor-required': { remedies: [],                  text: (_, { user }) => words.access.noFactor({ name: user.username }) },
};

function yesText(explanation: Explanation, facts: AnswerFacts): string {
  const { since, cameras } = explanation;
  const { user, shows } = facts;
  const role = roleIn(explanation, facts);
  const hours = hoursIn(explanation, facts);
  const limits = [
    cameras === 'all' ? words.access.yesAll({ role }) : words.access.yesRole({ role }),
    shows !== 'live' && since !== undefined ? words.access.since({ moment: momentOf(since) }) : '',
    hours === '' ? '' : words.access.hours({ hours }),
    user.valid_until === undefined ? '' : words.access.until({ moment: momentOf(user.valid_until) }),
  ];
  return limits.filter((part) => part !== '').join(' ');
}

/** A provider may give several. */
const roleIn = ({ roles = [] }: Explanation, { user }: AnswerFacts): string =>
  roles.length > 0 ? roles.join(', ') : user.role;

/** Empty for several roles: each has hours of its own. */
const hoursIn = ({ roles = [] }: Explanation, { role }: AnswerFacts): string =>
  roles.length > 1 ? '' : (role?.hours ?? []).map((line) => hoursInWords(line)).join('; ');

/** The cameras that the person sees, as they are called. */
const listed = ({ cameras }: Explanation): string => shortList(Array.isArray(cameras) ? cameras.map(cameraName) : []);

const momentOf = (time: number | undefined): string => (time === undefined ? '' : formatShortMoment(time));

/** What is undefined is absent from JSON. */
export type Explanation = Pick<ExplanationOfServer, 'verdict' | 'message'> & Partial<ExplanationOfServer>;

export type CameraAccess = z.output<typeof ACCESS>;
export type Holder = CameraAccess['holders'][number];

/** What a cell says: seen, seen but not in every way, seen when the hours or the account begin, behind the curtain, or not at all. */
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
