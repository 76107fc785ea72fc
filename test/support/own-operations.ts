export const OWN_ROUTES = [...CORE_ROUTES, ...(await loadFeatures()).flatMap(({ routes = [] }) => routes)];

import { CORE_ROUTES } from '../../src/app/own-routes.ts';
/** The own routes that are operations, one for each method, with the path as the description of the API writes it. */
import { loadFeatures } from '../../src/app/resources/features.ts';
import { listOperations } from '../../src/routes/own-route.ts';

export const OWN_OPERATIONS = OWN_ROUTES.flatMap((route) =>
  route.summary === undefined
    ? []
    : listOperations(route.route).map(({ method, path }) => ({
        ...route,
        method: method.toLowerCase(),
        path: path.replace('...}', '}'),
      })),
);
export type OwnOperation = (typeof OWN_OPERATIONS)[number];
