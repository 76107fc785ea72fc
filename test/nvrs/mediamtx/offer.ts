/** An offer of a browser that plays, as MediaMTX's own page makes it, with a data channel. */
const media = (mid: number, kind: string, ...lines: string[]): string[] => [
  kind,
  'c=IN IP4 0.0.0.0',
  'a=ice-ufrag:EEtu',
  'a=ice-pwd:7c3bf4770007e7432ee4ea4d697db675',
  'a=fingerprint:sha-256 0D:9F:78:15:42:B5:4B:E6:E2:94:3E:5B:37:78:E1:4B:54:59:A3:36:3A:E5:05:EB:27:EE:8F:D2:2D:41:29:25',
  'a=setup:actpass',
  `a=mid:${mid}`,
  ...lines,
];

export const playerOffer = (direction = 'recvonly'): string =>
  [
    ...['v=0', 'o=- 4611731400430051336 2 IN IP4 127.0.0.1', 's=-', 't=0 0', 'a=group:BUNDLE 0 1'],
    ...media(
      0,
      'm=video 9 UDP/TLS/RTP/SAVPF 96',
      `a=${direction}`,
      'a=rtcp-mux',
      'a=rtpmap:96 H264/90000',
      'a=fmtp:96 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f',
    ),
    ...media(1, 'm=application 9 UDP/DTLS/SCTP webrtc-datachannel', 'a=sctp-port:5000', 'a=max-message-size:262144'),
    '',
  ].join('\r\n');

export const FRAGMENT = [
  'a=ice-ufrag:EEtu',
  'a=ice-pwd:7c3bf4770007e7432ee4ea4d697db675',
  'm=video 9 UDP/TLS/RTP/SAVPF 96',
  'a=mid:0',
  'a=candidate:1 1 udp 2113937151 192.0.2.5 50000 typ host generation 0 ufrag EEtu',
  '',
].join('\r\n');
