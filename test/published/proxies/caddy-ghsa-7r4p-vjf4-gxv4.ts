/** Identity headers of the client that the login server did not set. */
import { cgiValues, type PublishedHole } from '../hole.ts';

export const hole: PublishedHole = {
  id: 'GHSA-7r4p-vjf4-gxv4, GHSA-f59h-q822-g45g',
  product: 'Caddy',
  title: 'identity headers of the client that the login server did not set',
  story:
    'Headers that are copied from the response of the login server stayed as the client had written them when the response had none. An underscore in their names did the same.',
  source: 'known by their titles and by the tests that Caddy has for them',
  here: 'Every header by which a recorder could be told who is calling is taken out of the request, on public paths too.',
  isUsedBy: (request) =>
    ['remote-groups', 'remote-user', 'remote-role'].some((name) => cgiValues(request, name).includes('root')),
  attacks: [
    {
      by: 'unknown',
      target: '/assets/index.js',
      headers: ['Remote-User: root', 'Remote-Role: root'],
      arrives: 'as itself',
    },
    { by: 'unknown', target: '/assets/index.js', headers: ['Remote_Groups: root'] },
    { by: 'viewer', target: '/api/stats', headers: ['Remote-Groups: root'], arrives: 'as itself' },
  ],
};
