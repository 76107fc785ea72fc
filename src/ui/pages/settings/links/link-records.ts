/** Links as the API lists them, read from whatever the answer holds (SPEC 13). Times are Unix seconds. */
import { type Fields, isFields, numberOf, textOf, timeOf } from '../../shared/forms/fields.ts';

export interface LinkOpening {
  readonly at: number | undefined;
  readonly address: string;
}

export interface LinkRecord {
  readonly id: string;
  readonly name: string | undefined;
  readonly kind: string;
  readonly camera: string;
  readonly user: string;
  readonly state: string;
  readonly uses: number | undefined;
  readonly opened: number;
  readonly hasPin: boolean;
  readonly expiresAt: number | undefined;
  /** Latest first. */
  readonly openings: readonly LinkOpening[];
}

export const readLinks = (body: unknown): LinkRecord[] =>
  Array.isArray(body)
    ? body
        .filter(isFields)
        .map(readLink)
        .filter((link) => link !== undefined)
    : [];

function readLink(fields: Fields): LinkRecord | undefined {
  const id = textOf(fields['id']);
  if (id === undefined) return undefined;
  const what = isFields(fields['what']) ? fields['what'] : {};
  const openings = Array.isArray(fields['openings']) ? fields['openings'].filter(isFields) : [];
  return {
    id,
    name: textOf(fields['name']),
    kind: Object.keys(what)[0] ?? '',
    camera: textOf(fields['camera']) ?? '',
    user: textOf(fields['user']) ?? '',
    state: textOf(fields['state']) ?? '',
    uses: numberOf(fields['uses']),
    opened: numberOf(fields['opened']) ?? 0,
    hasPin: fields['has_pin'] === true,
    expiresAt: timeOf(fields['expires_at']),
    openings: openings.map(({ at, address }) => ({ at: timeOf(at), address: textOf(address) ?? '' })),
  };
}
