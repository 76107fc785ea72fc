/** Credentials of cameras in a response that was cached for an admin. */
import type { PublishedHole } from '../hole.ts';

export const hole: PublishedHole = {
  id: 'GHSA-4vfc-hxpj-f7x7',
  product: 'Frigate before 0.17.2',
  title: 'a response for an admin, sent to a viewer from the cache',
  story:
    "The web server kept responses without a look at the role that they were made for. A viewer was sent an admin's configuration, with the credentials of the cameras in it.",
  source: 'https://github.com/blakeblackshear/frigate/security/advisories/GHSA-4vfc-hxpj-f7x7',
  here: 'Credentials and command lines are cut from the configuration for all callers who are no admins, whatever the recorder sends.',
  isUsedBy: ({ target }) => target === '/api/config',
  leak: (mark) =>
    JSON.stringify({
      cameras: { cam1: { ffmpeg: { inputs: [{ path: `rtsp://root:${mark}@10.0.0.9/live`, roles: ['detect'] }] } } },
      go2rtc: { streams: { cam1: [`rtsp://root:${mark}@10.0.0.9/live`] } },
    }),
  attacks: [
    { by: 'viewer', target: '/api/config', arrives: 'as itself' },
    { by: 'restricted', target: '/api/config', arrives: 'as itself' },
  ],
};
