/** The first password in the log, read by a viewer. */
import type { PublishedHole } from '../hole.ts';

export const hole: PublishedHole = {
  id: 'GHSA-c4qf-xxq4-vf55',
  product: 'Frigate 0.17',
  title: "the admin's first password in the log",
  story:
    'Every user who was logged in could read the logs of the recorder. The generated password of the admin and the credentials of cameras stood in them.',
  source: 'https://github.com/blakeblackshear/frigate/security/advisories/GHSA-c4qf-xxq4-vf55',
  here: 'Logs are for admins. Postern has accounts of its own, and writes no password into its log.',
  isUsedBy: ({ target }) => target.startsWith('/api/logs/'),
  attacks: [
    { by: 'viewer', target: '/api/logs/frigate' },
    { by: 'viewer', target: '/api/logs/nginx?download=true' },
    { by: 'restricted', target: '/api/logs/go2rtc' },
  ],
};
