/** Step 8. What a caller may do who must set up a second factor first: that, and leave (SPEC 12). */
import { isOwn, type RouteMatch } from '../../access/route-table.ts';
import type { Caller } from '../../domain/caller.ts';

/** To public routes of the NVR such a caller is unknown: the identity headers would say that the login was whole. */
export const withEnrolment = (caller: Caller | undefined, route: RouteMatch): Caller | undefined =>
  caller?.mustEnrol && isPublic(route) && !isOwn(route) ? undefined : caller;

/** Postern's own public routes (its pages, login, logout), and the rows that name themselves. */
export const mayEnrolBy = (route: RouteMatch): boolean =>
  isOwn(route) && (isPublic(route) || route.row.enrolment === true);

const isPublic = (route: RouteMatch): boolean => route.kind === 'listed' && route.row.access === 'public';
