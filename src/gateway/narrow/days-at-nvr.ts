/** Events by day where the NVR keeps them: as it counts them itself (SPEC 7). */
import { queryValues } from '../../access/query.ts';
import { adapterOf, isOwn } from '../../access/route-table.ts';
import { dayOf, isTooManyDays } from '../../domain/events/days.ts';
import { DAYS_PATH } from '../../domain/events/event-paths.ts';
import { numberOf } from '../../domain/events/parse-value.ts';
import { canonicalZone, offsetReader } from '../../domain/events/zone-offsets.ts';
import { UnexpectedForm } from '../../domain/unexpected-form.ts';
import type { Admitted } from '../decision/admit.ts';
import { askFailure } from '../decision/ask-failure.ts';
import type { Destination } from '../decision/destinations.ts';
import type { ObligationDeps, Settled } from './obligations.ts';

export const asksForDays = ({ route }: Admitted): boolean => isOwn(route) && route.row.path === DAYS_PATH;

/** `now`: Unix seconds. */
export async function daysAtNvr(
  { target, obligations, route }: Admitted,
  { upstream }: Exclude<Destination, { kind: 'none' }>,
  { ask, sharer }: Pick<ObligationDeps, 'ask' | 'sharer'>,
  now: number,
): Promise<Settled> {
  const { days } = adapterOf(route).events;
  // An NVR that keeps no events has none to count.
  if (!days) return { kind: 'answered', json: '[]' };
  const last = (name: string): string | undefined => queryValues(target.query, name).at(-1);
  const [after, before] = [numberOf(last('after')), numberOf(last('before'))];
  if (isTooManyDays({ after, before }, now)) return { kind: 'refused', reason: 'parameter-refused', field: 'after' };
  const timezone = canonicalZone(last('timezone') ?? '') ?? 'UTC';
  const asked = new URLSearchParams({ timezone });
  for (const name of ['cameras', 'labels']) asked.set(name, last(name) ?? 'all');
  try {
    const counted = days.countedIn(await ask(upstream, `${days.path}?${asked}`, sharer));
    if (!counted) throw new UnexpectedForm(`${days.path} was not answered with days`);
    const offsetAt = offsetReader(timezone);
    const since = obligations?.view.since;
    // The NVR counts whole days: of one that began too early nothing is told.
    const isTold = (day: string): boolean =>
      (after === undefined || day >= dayOf(after, offsetAt)) &&
      (before === undefined || day <= dayOf(before - SMALLEST, offsetAt)) &&
      (since === undefined || day > dayOf(since - SMALLEST, offsetAt));
    const told = counted.filter(({ day, count }) => count > 0 && isTold(day));
    return { kind: 'answered', json: JSON.stringify(told.sort((one, other) => (one.day < other.day ? -1 : 1))) };
  } catch (fault) {
    return { kind: 'refused', reason: askFailure(fault) };
  }
}

/** Seconds: what ends or begins at midnight has nothing of the day on the other side. */
const SMALLEST = 0.001;
