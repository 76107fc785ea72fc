/** Which routes somebody asked for that the table does not know: a newer NVR may have more than its table (SPEC 5). */

export interface UnknownRoutes {
  /** By method and path; digits and ids in the path do not make another route. */
  note(method: string, segments: readonly string[]): void;
  list(): readonly UnknownRoute[];
}

export interface UnknownRoute {
  /** `GET /api/new_thing/*` */
  readonly route: string;
  readonly count: number;
}

/** A list for a person's eyes, which no client can make grow. */
const MOST_ROUTES = 100;
const LONGEST_ROUTE = 200;

export function createUnknownRoutes(): UnknownRoutes {
  const counts = new Map<string, number>();
  return {
    note(method, segments) {
      const route = `${method} /${segments.map(withoutIds).join('/')}`.slice(0, LONGEST_ROUTE);
      const count = counts.get(route);
      if (count === undefined && counts.size >= MOST_ROUTES) return;
      counts.set(route, (count ?? 0) + 1);
    },
    list: () => [...counts].map(([route, count]) => ({ route, count })),
  };
}

const withoutIds = (segment: string): string => (/\d/.test(segment) || segment.length > 40 ? '*' : segment);
