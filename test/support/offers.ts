/** Offers as browsers make them, and as attackers do. */
const HEAD = ['v=0', 'o=- 4611731400430051336 2 IN IP4 127.0.0.1', 's=-', 't=0 0', 'a=msid-semantic: WMS'];
const section = (kind: string, direction: string): string[] => [
  kind === 'application'
    ? 'm=application 9 UDP/DTLS/SCTP webrtc-datachannel'
    : `m=${kind} 9 UDP/TLS/RTP/SAVPF ${kind === 'video' ? '96 97' : '111 8'}`,
  'c=IN IP4 0.0.0.0',
  'a=ice-ufrag:EEtu',
  `a=${direction}`,
];
const offer = (...sections: string[][]): string => [...HEAD, ...sections.flat(), ''].join('\r\n');

export const OFFERS = {
  /** A page that plays. */
  watch: offer(section('video', 'recvonly'), section('audio', 'recvonly')),
  /** A page that plays, and sends sound to the camera's loudspeaker. */
  talk: offer(section('video', 'recvonly'), section('audio', 'sendrecv')),
  /** An attacker that would become the camera. */
  camera: offer(section('video', 'sendonly')),
  dataChannel: offer(section('video', 'recvonly'), section('application', 'inactive')),
} as const;

/** The same offer in the gate's spelling: each section's direction is its last line. */
export const written = (sdp: string): string =>
  sdp.replace(/a=(recvonly|sendrecv)\r\n((?:[^m][^\r]*\r\n)*)/g, (_, direction, rest) => `${rest}a=${direction}\r\n`);
