/** How the answer of a row is read, where its members have names of the server's own, and lists that come in pages (SPEC 5, 20). */
import type { Paging, PolicyRow } from '../domain/policy.ts';
import type { RequestTarget } from '../domain/request.ts';
import { queryValues, replaceInQuery } from './query.ts';

/** Plain data, which can be sent to a thread. */
export interface AnswerReading {
  /** The member of an object by which it names its camera; absent: `camera`. */
  readonly namedBy?: string;
  /** Members that only admins get, at any depth. */
  readonly hidden?: readonly string[];
  readonly page?: AskedPage;
}

/** The page that was asked for, of a list that comes whole. */
export interface AskedPage extends Paging {
  readonly asked: { readonly size: number; readonly number: number };
}

/** Undefined where the row's answer is read as all others are. */
export function readingOf({ named_by, hidden, paging }: PolicyRow, target: RequestTarget): AnswerReading | undefined {
  if (named_by === undefined && !hidden && !paging) return undefined;
  return {
    ...(named_by !== undefined && { namedBy: named_by }),
    ...(hidden && { hidden }),
    ...(paging && { page: { ...paging, asked: askedPage(target, paging) } }),
  };
}

const COUNT = /^\d{1,9}$/;

function askedPage({ query }: RequestTarget, { size, number, usual }: Paging): AskedPage['asked'] {
  const [asked = ''] = queryValues(query, size);
  const [at = ''] = queryValues(query, number);
  const isSize = COUNT.test(asked) && Number(asked) > 0;
  return { size: isSize ? Number(asked) : usual, number: COUNT.test(at) ? Number(at) : 0 };
}

/** More elements than any list has: the answer would be larger than what is narrowed. */
const ALL = '1000000';

/** The same request for the whole list: a reader of some cameras gets pages of what is left of it. */
export const askingForAll = (target: RequestTarget, { size, number }: Paging): RequestTarget => ({
  ...target,
  query: replaceInQuery(
    target.query,
    new Map([
      [size, ALL],
      [number, '0'],
    ]),
  ),
});
