/** Requested routes that the route table does not list: a newer NVR may have more than its table (SPEC 5). */
import { type Clock, unixSeconds } from '../../domain/clock.ts';
import type { UnknownRoute } from '../../domain/status.ts';

export interface UnknownRoutes {
  /** Notes a route by method and path; digits and ids in the path do not make another route. */
  note(method: string, segments: readonly string[]): void;
  /** The latest first; a path is `/api/new_thing/*`. */
  list(): readonly UnknownRoute[];
}

/** A list for a person's eyes, which no client can make grow. */
const MOST_ROUTES = 100;
const LONGEST_PATH = 200;

export function createUnknownRoutes(clock: Clock): UnknownRoutes {
  const seen = new Map<string, UnknownRoute>();
  return {
    note(method, segments) {
      const path = `/${segments.map(withoutIds).join('/')}`.slice(0, LONGEST_PATH);
      const known = seen.get(`${method} ${path}`);
      if (known === undefined && seen.size >= MOST_ROUTES) return;
      seen.set(`${method} ${path}`, { method, path, count: (known?.count ?? 0) + 1, lastSeenAt: unixSeconds(clock) });
    },
    list: () => [...seen.values()].sort((a, b) => b.lastSeenAt - a.lastSeenAt),
  };
}

const withoutIds = (segment: string): string => (/\d/.test(segment) || segment.length > 40 ? '*' : segment);
