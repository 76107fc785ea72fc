/** Reads fields of an untrusted record: a field has the expected type, or it is absent. */
import { isRecord } from '../../../domain/json.ts';

/** A key of the table itself: what comes from the server names nothing that objects inherit. */
export const own = <Table extends object>(table: Table, key: string | undefined): Table[keyof Table] | undefined =>
  key !== undefined && Object.hasOwn(table, key) ? table[key as keyof Table] : undefined;

export const readText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

export const readNumber = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;

/** The last moment of a Date (ECMA-262, 21.4.1.1): to show one beyond it would be an exception. */
const LAST_MOMENT = 8.64e12;

/** Unix seconds that a calendar knows. */
export const readMoment = (value: unknown): number | undefined => {
  const seconds = readNumber(value);
  return seconds !== undefined && Math.abs(seconds) <= LAST_MOMENT ? seconds : undefined;
};

export const readTexts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];

/** The records of a list; none where the answer is no list of objects. */
export const recordsIn = <Kind>(body: unknown): Kind[] => (Array.isArray(body) ? body.filter(isRecord) : []) as Kind[];

/** The address of the next page of a list. `link`: the header of that name. */
export const nextIn = (link: string | null): string | undefined =>
  /<([^>]*)>\s*(?:;[^,]*)?;\s*rel="?next"?/i.exec(link ?? '')?.[1];
