/** The query of `GET /api/ledger`: a question, or every parameter that is wrong with it (SPEC 14). Pure. */

import { isSiteName } from '../../domain/accounts/site.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import { LEDGER_KINDS, type LedgerCursor, type LedgerKind, type LedgerQuestion } from './records.ts';

export const FORMATS = ['json', 'ndjson', 'csv'] as const;
export type Format = (typeof FORMATS)[number];

export interface LedgerQuery {
  readonly question: Omit<LedgerQuestion, 'sight' | 'cameras'> & { readonly camera: string | undefined };
  /** Undefined: a page as JSON has its default, the other formats hold everything. */
  readonly limit: number | undefined;
  readonly cursor: LedgerCursor | undefined;
  readonly format: Format;
}

export const MOST_RECORDS = 1000;
const LONGEST_NAME = 255;
const LATEST = 1e11;

/** The parameters. */
export const QUERY = {
  kind: `One of ${LEDGER_KINDS.join(', ')}; several with commas`,
  user: 'A name',
  camera: 'A camera',
  site: 'A site',
  credential: 'A credential, such as link:<id>',
  after: 'Unix seconds',
  before: 'Unix seconds',
  limit: 'At most 1000',
  cursor: 'From the Link header of the page before',
  format: 'json, ndjson or csv',
};

export function readLedgerQuery(given: URLSearchParams, accept: string): Result<LedgerQuery, readonly string[]> {
  const faults: string[] = [];
  for (const name of new Set(given.keys())) {
    if (!Object.hasOwn(QUERY, name)) faults.push(`${name}: is not known; there are ${Object.keys(QUERY).join(', ')}`);
    else if (given.getAll(name).length > 1) faults.push(`${name}: is given more than once`);
  }
  const text = (name: string): string | undefined => {
    const value = given.get(name) ?? undefined;
    // PostgreSQL takes no NUL in a text.
    if (value !== undefined && (value === '' || value.length > LONGEST_NAME || /\p{Cc}/u.test(value)))
      faults.push(`${name}: must have 1 to ${LONGEST_NAME} characters, without control characters`);
    return value;
  };
  const number = (name: string, least: number, most: number): number | undefined => {
    const value = given.get(name);
    if (value === null) return undefined;
    const read = value.trim() === '' ? Number.NaN : Number(value);
    if (!(read >= least && read <= most)) faults.push(`${name}: must be a number from ${least} to ${most}`);
    return read;
  };
  const kinds = (given.get('kind') ?? undefined)?.split(',');
  if (kinds && !kinds.every(isKind))
    faults.push(`kind: must be one of ${LEDGER_KINDS.join(', ')}, or several with commas`);
  const limit = number('limit', 1, MOST_RECORDS);
  if (limit !== undefined && !Number.isInteger(limit)) faults.push('limit: must be a whole number');
  const cursor = readCursor(given.get('cursor'));
  if (cursor === 'bad') faults.push('cursor: take it from the Link header of the page before');
  const format = given.get('format') ?? acceptedFormat(accept);
  if (!isFormat(format)) faults.push(`format: must be one of ${FORMATS.join(', ')}`);
  const question = {
    kinds: kinds?.filter(isKind),
    user: text('user'),
    camera: text('camera'),
    site: siteNamed(text('site'), faults),
    credential: text('credential'),
    after: number('after', -LATEST, LATEST),
    before: number('before', -LATEST, LATEST),
  };
  if (faults.length > 0 || cursor === 'bad' || !isFormat(format)) return err(faults);
  return ok({ question, limit, cursor, format });
}

function siteNamed(site: string | undefined, faults: string[]): string | undefined {
  if (site !== undefined && !isSiteName(site)) faults.push('site: must be the name of a site, such as barn');
  return site;
}

const isKind = (text: string): text is LedgerKind => LEDGER_KINDS.some((kind) => kind === text);
const isFormat = (text: string): text is Format => FORMATS.some((format) => format === text);

const acceptedFormat = (accept: string): Format => {
  if (/application\/(?:x-)?ndjson/.test(accept)) return 'ndjson';
  return /text\/csv/.test(accept) ? 'csv' : 'json';
};

/** Ids are told as they stand in the store, where others may have written them. */
const CURSOR = /^(?<from>-?\d{1,12}(?:\.\d{1,20})?),(?<id>[^\p{Cc}]{1,300})$/u;

function readCursor(text: string | null): LedgerCursor | undefined | 'bad' {
  if (text === null) return undefined;
  const { from, id } = CURSOR.exec(text)?.groups ?? {};
  return from === undefined || id === undefined ? 'bad' : { from: Number(from), id };
}

export const cursorText = ({ from, id }: LedgerCursor): string => `${from},${id}`;
