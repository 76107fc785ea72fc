/** An offer that sends video makes its sender the camera. */
import { OFFERS } from '../../support/offers.ts';
import type { PublishedHole } from '../hole.ts';

const SDP = ['Content-Type: application/sdp'];

export const hole: PublishedHole = {
  id: 'Live signalling: video that is sent',
  product: 'go2rtc, as recorders have it',
  title: 'a viewer becomes the camera',
  story:
    'The stream server takes an offer that only sends video for a new source of the camera. From then on all viewers are shown the pictures of the sender as those of the camera.',
  source: 'run against go2rtc dc1685e; no advisory was found',
  here: 'An offer is held until it is judged; video that is sent is refused, for all callers but admins.',
  isUsedBy: ({ body }) => /m=video[\s\S]*a=sendonly/.test(body),
  attacks: [
    { by: 'viewer', method: 'POST', target: '/api/go2rtc/webrtc?src=cam1', headers: SDP, body: OFFERS.camera },
    { by: 'restricted', method: 'POST', target: '/api/go2rtc/webrtc?src=cam1', headers: SDP, body: OFFERS.camera },
    { by: 'viewer', method: 'POST', target: '/api/go2rtc/webrtc?dst=cam1', headers: SDP, body: OFFERS.camera },
  ],
};
