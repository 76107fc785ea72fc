/** Live pictures of another camera over a WebSocket. */
import { type PublishedHole, UPGRADE } from '../hole.ts';

export const hole: PublishedHole = {
  id: 'GHSA-hh3j-7g2f-43j2',
  product: 'Frigate before 0.17.2',
  title: "another camera's live stream over the WebSocket",
  story:
    'A WebSocket of the stream server was opened for every user who was logged in. Its parameter named the camera, and no camera of the role was asked for.',
  source: 'https://github.com/blakeblackshear/frigate/security/advisories/GHSA-hh3j-7g2f-43j2',
  here: 'The camera is read from the parameter before the upgrade; one outside of the role, or two of them, is refused.',
  isUsedBy: () => true,
  attacks: [
    { by: 'restricted', target: '/live/mse/api/ws?src=cam2', headers: UPGRADE },
    { by: 'restricted', target: '/live/webrtc/api/ws?src=cam2', headers: UPGRADE },
    { by: 'restricted', target: '/live/jsmpeg/cam2', headers: UPGRADE },
    { by: 'restricted', target: '/live/mse/api/ws?src=cam1&src=cam2', headers: UPGRADE },
  ],
};
