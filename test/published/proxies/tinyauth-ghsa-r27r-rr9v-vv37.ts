/** A list of paths that is a pattern. */
import { type PublishedHole, resolved } from '../hole.ts';

export const hole: PublishedHole = {
  id: 'GHSA-r27r-rr9v-vv37',
  product: 'tinyauth up to 5.1.2',
  title: 'a list of paths that is a pattern',
  story:
    'Paths that need no login were compiled to a pattern without ends, and looked for in the whole target. A public path in the query opened every other one.',
  source: 'the advisory, by what other projects wrote of it',
  here: 'Rows are matched from the first to the last segment of the path, and a query is no part of it.',
  isUsedBy: (request) => resolved(request) === '/api/config',
  attacks: [
    { by: 'unknown', target: '/api/config?x=/login' },
    { by: 'unknown', target: '/api/config?next=/assets/' },
  ],
};
