/** Recordings of other cameras as static files. */
import type { PublishedHole } from '../hole.ts';

export const hole: PublishedHole = {
  id: 'GHSA-74x4-gw64-2mq5',
  product: 'Frigate 0.17',
  title: "other cameras' recordings as static files",
  story:
    'Recordings, clips and exports were sent by the web server as files after a look at the login alone. A user of one camera read those of all cameras by their paths.',
  source: 'https://github.com/blakeblackshear/frigate/security/advisories/GHSA-74x4-gw64-2mq5',
  here: 'The camera is read from the path; a path that names none is for callers who see all cameras.',
  isUsedBy: ({ target }) => /^\/(?:recordings|clips|exports|vod)\//.test(target),
  attacks: [
    { by: 'restricted', target: '/recordings/2026-11-22/10/cam2/00.00.mp4' },
    { by: 'restricted', target: '/clips/cam2-1700000000.5-abcdef.jpg' },
    { by: 'restricted', target: '/exports/cam2_abcdef.mp4', asks: ['/api/exports'] },
    { by: 'restricted', target: '/vod/cam2/start/1700000000/end/1700000060/index.m3u8' },
    { by: 'unknown', target: '/recordings/2026-11-22/10/cam1/00.00.mp4' },
  ],
};
