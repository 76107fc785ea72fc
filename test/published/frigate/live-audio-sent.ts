/** An offer that sends sound speaks through the camera. */
import { OFFERS } from '../../support/offers.ts';
import type { PublishedHole } from '../hole.ts';

const SDP = ['Content-Type: application/sdp'];

export const hole: PublishedHole = {
  id: 'Live signalling: audio that is sent',
  product: 'go2rtc, as recorders have it',
  title: 'all viewers may speak through the camera',
  story:
    'Sound that an offer sends comes out of the loudspeaker of the camera. Every viewer may do so: the recorder has no right of its own for it.',
  source: 'run against go2rtc dc1685e; no advisory was found',
  here: 'Sending sound is the verb "talk", which a role can be denied; other roles may talk, as in the reference.',
  isUsedBy: ({ body }) => /m=audio[\s\S]*a=sendrecv/.test(body),
  attacks: [{ by: 'silent', method: 'POST', target: '/api/go2rtc/webrtc?src=cam1', headers: SDP, body: OFFERS.talk }],
};
