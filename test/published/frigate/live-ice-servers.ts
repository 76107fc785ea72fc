/** Servers named by the client, called by the stream server. */
import { OFFERS } from '../../support/offers.ts';
import type { PublishedHole } from '../hole.ts';

const JSON_BODY = ['Content-Type: application/json'];
const OFFER = JSON.stringify({ type: 'offer', sdp: OFFERS.watch, ice_servers: [{ urls: ['turn:10.0.0.1:3478'] }] });

export const hole: PublishedHole = {
  id: 'Live signalling: ice_servers',
  product: 'go2rtc, as recorders have it',
  title: 'the stream server calls any address that a viewer names',
  story:
    "Servers for the connection that the client names replace those of the stream server. It then sends packets to each of these addresses, inside of the recorder's network too.",
  source: 'run against go2rtc dc1685e; no advisory was found',
  here: 'The offer is written anew without the servers that the client named.',
  isUsedBy: ({ body }) => body.includes('turn:10.0.0.1'),
  attacks: [
    {
      by: 'viewer',
      method: 'POST',
      target: '/api/go2rtc/webrtc?src=cam1',
      headers: JSON_BODY,
      body: OFFER,
      arrives: 'as itself',
    },
  ],
};
