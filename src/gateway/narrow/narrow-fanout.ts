/** A list that the NVR gives for one camera at a time: asked once for each that is visible, and joined (SPEC 5, `fanout`). */
import type { Obligations } from '../../access/access-verdict.ts';
import { withCameras } from '../../access/narrow-query.ts';
import { queryValues } from '../../access/query.ts';
import { memberOf } from '../../access/recorder-layout.ts';
import type { RequestTarget } from '../../domain/request.ts';
import { UnexpectedForm } from '../decision/ask-failure.ts';
import { askInTurns } from './ask-in-turns.ts';
import type { Hold } from './buffer-budget.ts';

/** JSON of the elements of all lists, each once, in order; undefined when there is no room. Rejects when one list cannot be had. */
export async function joinedLists(
  target: RequestTarget,
  { parameter, cameras }: NonNullable<Obligations['fanout']>,
  ask: (path: string) => Promise<unknown>,
  hold: Hold,
): Promise<string | undefined> {
  const elements = new Map<string, unknown>();
  const lists = await askInTurns(cameras, (camera) => {
    const { path, query } = withCameras(target, parameter, [camera]);
    return ask(`${path}?${query}`);
  });
  for (const list of lists) {
    if (!Array.isArray(list)) throw new UnexpectedForm(`${target.path} was not answered with a list`);
    for (const element of list) {
      const text = JSON.stringify(element);
      if (!hold.take(text.length)) return undefined;
      elements.set(text, element);
    }
  }
  const inOrder = [...elements].sort(
    ([one, first], [other, second]) => timeOf(first) - timeOf(second) || (one < other ? -1 : 1),
  );
  return `[${inOrder.map(([text]) => text).join(',')}]`;
}

/** Rows of the timeline have one, the earliest first; names have none, and stand by the alphabet. */
const timeOf = (element: unknown): number => Number(memberOf(element, 'timestamp') ?? 0);

/** Each list was cut off at the limit for itself. */
export function cutAtLimit(list: string, { query }: RequestTarget): string {
  const limit = queryValues(query, 'limit').at(-1);
  return limit === undefined ? list : JSON.stringify(JSON.parse(list).slice(0, Number(limit)));
}
