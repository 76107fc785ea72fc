/** Translates the conditions of an event query to SQL: one translation per kind, the same for every engine. */
import { sql } from 'kysely';
import type {
  EventCondition,
  EventFlag,
  EventMeasure,
  EventSort,
  PageEnd,
} from '../../domain/events/event-question.ts';
import type { ZoneOffset } from '../../domain/zone-offsets.ts';
import { allOf, anyOf, type Condition, type Dialect, type Expression, isOneOf, NEVER } from '../engine/engine.ts';

type ConditionOf<Kind extends EventCondition['kind']> = Extract<EventCondition, { kind: Kind }>;

const COMPARISONS = { '<': sql`<`, '<=': sql`<=`, '>': sql`>`, '>=': sql`>=` };

/** The value that a sort goes by. */
export const SORT_COLUMNS = { date: sql`e.start_time`, score: sql`e.score`, speed: sql`e.speed` };

export function conditionInSql(condition: EventCondition, words: Dialect): Condition {
  switch (condition.kind) {
    case 'one-of':
      return isOneOf(condition.field === 'id' ? sql`e.id` : words.unindexed(sql`e.label`), condition.values);
    case 'compared':
      return sql`${MEASURES[condition.measure]} ${COMPARISONS[condition.by]} ${condition.to}`;
    case 'flag':
      return flagged(condition.flag, condition.is);
    case 'carries':
      return carried(condition, words);
    case 'words':
      return allOf(condition.words.map((word) => words.hasWord(sql`e.sub_label`, sql`e.data`, word)));
    case 'plate':
      return plated(condition);
    case 'time-of-day':
      return atTimeOfDay(condition);
  }
}

const MEASURES: Readonly<Record<EventMeasure, Expression>> = {
  start_time: sql`e.start_time`,
  score: sql`e.score`,
  speed: sql`e.speed`,
  length: sql`(e.end_time - e.start_time)`,
};

function flagged(flag: EventFlag, is: boolean): Condition {
  // The reference leaves an empty plus_id in neither class; empty is "not submitted".
  if (flag === 'submitted') return is ? sql`e.plus_id <> ''` : sql`coalesce(e.plus_id, '') = ''`;
  if (flag === 'in_progress') return is ? sql`e.end_time is null` : sql`e.end_time is not null`;
  // Written out: an index of the rows that have a flag is used only for this very condition.
  return sql`e.${sql.ref(flag)} = ${sql.lit(is)}`;
}

function carried({ of, names, orNone }: ConditionOf<'carries'>, words: Dialect): Condition {
  const some = names.length > 0;
  switch (of) {
    case 'sub_label':
      return anyOf([
        ...names.map((name) => words.contains(sql`e.sub_labels_folded`, `,${name},`)),
        ...(orNone ? [sql<boolean>`e.sub_label is null`] : []),
      ]);
    case 'zone':
      return anyOf([
        ...(some ? [words.hasElement(sql`e.zones`, names)] : []),
        ...(orNone ? [words.isEmptyArray(sql`e.zones`)] : []),
      ]);
    case 'attribute':
      return some ? words.hasMemberText(sql`e.data`, names) : NEVER;
  }
}

/** The candidates with a plate. With a test in code, every event that has one is a candidate. */
function plated({ isWanted, orNone }: ConditionOf<'plate'>): Condition {
  const plate = sql`e.plate`;
  return anyOf([
    isWanted.matches ? sql<boolean>`${plate} is not null` : isOneOf(plate, isWanted.plates),
    ...(orNone ? [sql<boolean>`${plate} is null`] : []),
  ]);
}

/** Whether a plate is one of those: for what the statement cannot tell. */
export const plateTest =
  ({ isWanted: { plates, matches }, orNone }: ConditionOf<'plate'>) =>
  (plate: string | null): boolean =>
    plate === null ? orNone : plates.includes(plate) || (matches?.(plate) ?? false);

function atTimeOfDay({ from, until, offsets }: ConditionOf<'time-of-day'>): Condition {
  const local = sql`e.start_time + ${offsetAt(offsets)}`;
  /** Whole seconds since midnight. */
  const second = sql`(floor(${local}) - 86400 * floor((${local}) / 86400.0))`;
  return from <= until
    ? sql`(${second} >= ${from} and ${second} < ${until})`
    : sql`(${second} >= ${from} or ${second} < ${until})`;
}

/** The zone's offset at the event's own start. The newest are tried first, for that is where questions begin. */
export function offsetAt(offsets: readonly ZoneOffset[]): Expression {
  const [first, ...later] = offsets;
  const earliest = sql.lit(first?.seconds ?? 0);
  if (later.length === 0) return earliest;
  const cases = later
    .reverse()
    .map(({ since, seconds }) => sql`when e.start_time >= ${sql.lit(since)} then ${sql.lit(seconds)}`);
  return sql`case ${sql.join(cases, sql` `)} else ${earliest} end`;
}

/** The events behind the end of a page, by this value in the sort's order: absent values stand below all others. */
export function behind(end: PageEnd, value: Expression, { key, direction }: EventSort): Condition {
  const further = sql.raw(direction === 'asc' ? '>' : '<');
  const tie = sql<boolean>`e.id ${further} ${end.id}`;
  if (end.value === null) {
    const absent = sql<boolean>`(${value} is null and ${tie})`;
    return direction === 'asc' ? anyOf([absent, sql`${value} is not null`]) : absent;
  }
  // The first comparison says twice what the others do, but in words that let an index begin there.
  const beyond = sql<boolean>`(${value} ${further}= ${end.value} and (${value} ${further} ${end.value} or ${tie}))`;
  const hasAbsentBelow = direction === 'desc' && key !== 'date';
  return hasAbsentBelow ? anyOf([beyond, sql`${value} is null`]) : beyond;
}
