/** Reads fields of an untrusted record: a field has the expected type, or it is absent. */
export { isRecord as isFields, type JsonRecord as Fields } from '../../../../domain/json.ts';

export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

export const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;

/** The last moment of a Date (ECMA-262, 21.4.1.1): to show one beyond it would be an exception. */
const LAST_MOMENT = 8.64e12;

/** Unix seconds that a calendar knows. */
export const timeOf = (value: unknown): number | undefined => {
  const seconds = numberOf(value);
  return seconds !== undefined && Math.abs(seconds) <= LAST_MOMENT ? seconds : undefined;
};

export const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
