/** Authorization of a caller who sees nothing older than a moment: times that are named are judged, lists are narrowed (SPEC 13). */
import type { RefusalReason } from '../domain/refusal.ts';
import type { RequestTarget } from '../domain/request.ts';
import { err, ok, type Result } from '../domain/result.ts';
import type { Obligations } from './access-verdict.ts';
import { queryValues, withParameters } from './query.ts';
import { type Asked, isOwn } from './route-table.ts';
import { earliestTime, plainTime, rfc3339 } from './time-locators.ts';

/** What is left to do: the target may be narrowed. */
export interface WithinTime {
  readonly target: RequestTarget;
  readonly obligations: Pick<Obligations, 'ownData' | 'responseForm' | 'timesInAnswer' | 'padding'>;
}

/** A row that does not say where its times stand may show any: it is refused. `since` in Unix seconds. */
export function withinTime({ match, target, now }: Asked, since: number): Result<WithinTime, RefusalReason> {
  const { times = [], answer } = match.row;
  // Some servers read `;` as `&`: then the judged times would differ from the times that the NVR reads.
  if (target.query.includes(';')) return err('target-not-plain');
  const padding = paddingIn(target);
  if (times.length === 0 || padding === undefined) return err('history-not-judged');
  let judged = target;
  const obligations: Partial<Obligations> = padding > 0 ? { padding } : {};
  for (const place of times) {
    switch (place.in) {
      case 'query':
        judged = notBefore(
          judged,
          place.name,
          since,
          place.usual === undefined ? Number.NEGATIVE_INFINITY : now - place.usual,
        );
        break;
      case 'time': {
        const asked = latestTime(target, place.name);
        if (asked !== undefined && asked >= since) break;
        if (place.isBound) return err('history-too-old');
        judged = withParameters(judged, { [place.name]: new Date(since * 1000).toISOString() });
        break;
      }
      case 'own-data':
        Object.assign(obligations, { ownData: { list: place.list ?? obligations.ownData?.list } });
        break;
      case 'answer':
        Object.assign(obligations, { timesInAnswer: true, ...(!answer && { responseForm: 'times' }) });
        break;
      case 'own-route':
        // What the request is about stands in its body: the route judges by this same decision.
        if (!isOwn(match)) return err('history-not-judged');
        break;
      case 'id':
        break; // its owner is looked up, with its time
      default: {
        const earliest = earliestTime(place, match.parameters);
        if (earliest === undefined) return err('history-not-judged');
        if (earliest - padding < since) return err('history-too-old');
      }
    }
  }
  return ok({ target: judged, obligations });
}

/**
 * The parameter as it was asked where that is late enough, so that a request that needs no narrowing stays as it is.
 * `usual`: what the NVR takes where it is absent; the response is looked at as well.
 */
function notBefore(target: RequestTarget, name: string, since: number, usual: number): RequestTarget {
  const values = queryValues(target.query, name);
  if (values.length === 0 && usual >= since) return target;
  const [asked] = values;
  const isLateEnough = values.length === 1 && (plainTime(asked ?? '') ?? Number.NEGATIVE_INFINITY) >= since;
  return isLateEnough ? target : withParameters(target, { [name]: String(since) });
}

/** Unix seconds; undefined of a parameter that is repeated, absent or no time. */
function latestTime({ query }: RequestTarget, name: string): number | undefined {
  const [value = '', ...more] = queryValues(query, name);
  return more.length === 0 ? rfc3339(value) : undefined;
}

/** Seconds by which a clip of an event begins earlier than the event; undefined when it cannot be told. */
function paddingIn({ query }: RequestTarget): number | undefined {
  const values = queryValues(query, 'padding').map(plainTime);
  return values.includes(undefined) ? undefined : Math.max(0, ...values.filter((value) => value !== undefined));
}
