/** The answer to "may this person see this camera?" as a sentence, and what would change it. Pure. */
import { entryName } from '../../shared/names.ts';
import { formatShortMoment } from '../../shared/times.ts';
import { words } from '../../shared/words.ts';
import type { RoleRecord, UserRecord } from '../account-records.ts';
import type { Explanation } from './explanation.ts';

export const SHOWN = ['live', 'history', 'export'] as const;
/** How a camera is seen. */
export type Shown = (typeof SHOWN)[number];

/** The dialogs that change the answer. */
export type Remedy = 'role' | 'cameras' | 'validity';

export interface Answer {
  readonly isYes: boolean;
  readonly text: string;
  readonly remedies: readonly Remedy[];
}

export interface AnswerFacts {
  readonly user: UserRecord;
  /** The role of the user as it is listed; undefined: not known here. */
  readonly role: RoleRecord | undefined;
  readonly shows: Shown;
}

export function answerOf(explanation: Explanation, facts: AnswerFacts): Answer {
  const { verdict, reason = '', message } = explanation;
  if (verdict === 'admitted') return { isYes: true, text: yesText(explanation, facts), remedies: ['role'] };
  const known = Object.entries(REFUSED).find(([name]) => name === reason)?.[1];
  if (!known) return { isYes: false, text: words.access.noBecause(message), remedies: [] };
  return { isYes: false, text: known.text(explanation, facts), remedies: known.remedies };
}

interface Refused {
  readonly text: (explanation: Explanation, facts: AnswerFacts) => string;
  readonly remedies: readonly Remedy[];
}

// biome-ignore format: a table
const REFUSED: Readonly<Record<string, Refused>> = {
  'camera-not-in-role':     { remedies: ['role', 'cameras'], text: (_, { user, role }) => words.access.noCamera(user.role, listed(role)) },
  'verb-denied':            { remedies: ['role', 'cameras'], text: (_, { user, shows }) => words.access.noVerb(user.role, words.access.verbs[shows]) },
  'outside-hours':          { remedies: ['cameras', 'role'], text: ({ opensAt }, { user, role }) => words.access.noHours(user.role, (role?.hours ?? []).join('; '), momentOf(opensAt)) },
  'account-ended':          { remedies: ['validity'],        text: (_, { user }) => words.access.noAccountEnded(user.username, momentOf(user.valid_until)) },
  'role-missing':           { remedies: ['role'],            text: (_, { user }) => words.access.noRole(user.username) },
  'account-not-begun':      { remedies: ['validity'],        text: (_, { user }) => words.access.noAccountBegun(user.username, momentOf(user.valid_from)) },
  'second-factor-required': { remedies: [],                  text: (_, { user }) => words.access.noFactor(user.username) },
};

function yesText({ since }: Explanation, { user, role, shows }: AnswerFacts): string {
  const why = role && role.source !== 'builtin' ? words.access.yesRole(user.role) : words.access.yesAll(user.role);
  const limits = [
    shows !== 'live' && since !== undefined ? words.access.since(momentOf(since)) : '',
    (role?.hours ?? []).length > 0 ? words.access.hours((role?.hours ?? []).join('; ')) : '',
    user.valid_until === undefined ? '' : words.access.until(momentOf(user.valid_until)),
  ];
  return [why, ...limits].filter((part) => part !== '').join(' ');
}

const FEW = 5;

/** The cameras of a role as they are read: `street, garden and 7 more`. */
function listed(role: RoleRecord | undefined): string {
  const names = (role?.cameras ?? []).map(entryName);
  const shown = names.slice(0, names.length > FEW + 1 ? FEW : names.length);
  const more = names.length - shown.length;
  return [shown.join(', '), more > 0 ? words.access.andMore(more) : ''].filter(Boolean).join(' ');
}

const momentOf = (time: number | undefined): string => (time === undefined ? '' : formatShortMoment(time));
