/** Step 8. What a caller may do who must set up a second factor first: that, and leave (SPEC 12). */
import { isOwn, type RouteMatch } from '../../access/route-table.ts';

/**
 * Postern's own public routes (its pages, login, logout), and the rows that name themselves. Nothing of the NVR, not even
 * its public pages: a browser that opens one is led to where the factor is set up.
 */
export const mayEnrolBy = (route: RouteMatch): boolean =>
  isOwn(route) && (route.row.access === 'public' || route.row.enrolment === true);
