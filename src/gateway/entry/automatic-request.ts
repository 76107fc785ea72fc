/** Requests that a page sends by itself, without an act of its user: they do not renew the session (SPEC 4.2). */
import type { RequestFacts } from '../../domain/request.ts';

/** Any value. A client that sends it gives up a right, so nothing about it is judged. */
export const isAutomatic = ({ headers }: Pick<RequestFacts, 'headers'>): boolean =>
  headers['x-postern-automatic'] !== undefined;
