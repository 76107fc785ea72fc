/** Which query gives the page after this one: what the answer's Link header says, else what lies before its last event. */

const NEXT_LINK = /<([^>]*)>\s*(?:;[^,]*)?;\s*rel="?next"?/i;

interface PageGot {
  readonly query: URLSearchParams;
  readonly link: string | null;
  /** Start times of the events of the page, newest first. */
  readonly startTimes: readonly number[];
  readonly limit: number;
}

/** Undefined: this was the last page. */
export function nextQuery({ query, link, startTimes, limit }: PageGot): URLSearchParams | undefined {
  const target = NEXT_LINK.exec(link ?? '')?.[1];
  // Only the query counts: a backend does not know below which prefix it is seen.
  if (target !== undefined) return new URLSearchParams(target.split('?')[1] ?? '');
  const last = startTimes.at(-1);
  // In another order the last event does not say what is still to come.
  if (last === undefined || startTimes.length < limit || query.has('sort')) return undefined;
  const next = new URLSearchParams(query);
  next.set('before', String(last));
  return next;
}
