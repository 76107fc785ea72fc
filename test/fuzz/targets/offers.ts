/** Offers of live pictures, in bodies and messages: what is passed on sends no video, for every reader, and is judged alike the second time. */
import assert from 'node:assert/strict';
import { createLiveSignalling } from '../../../src/access/live-messages.ts';
import { judgeOfferBody, readSessionDescription } from '../../../src/access/live-offer.ts';
import { OFFERS } from '../../support/offers.ts';
import type { FuzzTarget } from './target.ts';

const OFFER = OFFERS.watch;
const MUTE = { mayTalk: false };
const TYPES = [
  'application/sdp',
  'application/json',
  'application/x-www-form-urlencoded',
  'text/plain; charset=x',
  'Application/JSON;x',
];

/** A careless reader: any line end, any case, blanks around, the last word of a section counts, or the session's. */
function sendsTo(sdp: string): string[] {
  const word = (line: string): string | undefined =>
    /^\s*a\s*=\s*(sendrecv|sendonly|recvonly|inactive)\b/i.exec(line)?.[1]?.toLowerCase();
  let session = 'sendrecv';
  const sections: { kind: string; way: string | undefined }[] = [];
  for (const line of sdp.split(/\r\n|\n|\r|\u2028|\u2029|\u0085|\v|\f/)) {
    const kind = /^\s*m\s*=\s*(\w+)/i.exec(line)?.[1];
    const way = word(line);
    const last = sections.at(-1);
    if (kind !== undefined) sections.push({ kind: kind.toLowerCase(), way: undefined });
    else if (way !== undefined && last) last.way = way;
    else if (way !== undefined) session = way;
  }
  return sections.filter(({ way = session }) => way === 'sendrecv' || way === 'sendonly').map(({ kind }) => kind);
}

function assertHarmless(sdp: string): void {
  assert.deepEqual(sendsTo(sdp), [], 'a reader finds that it sends');
  const read = readSessionDescription(sdp);
  assert.ok(read.ok && read.value.text === sdp, 'what is passed on is written otherwise the second time');
  assert.deepEqual(read.value.sends, { video: false, audio: false, data: false });
}

export const fuzzTarget: FuzzTarget = {
  outcomes: [
    'sdp unreadable',
    'sdp passed',
    'body refused',
    'body passed',
    'message passed',
    'message dropped',
    'message malformed',
    'message answered',
  ],
  longest: 900,
  seeds: [
    `s${OFFER}`,
    `s${OFFER.replaceAll('recvonly', 'sendrecv')}`,
    `0${OFFER}`,
    `1${JSON.stringify({ type: 'offer', sdp: OFFER, ice_servers: [{ urls: 'stun:x' }] })}`,
    `2data=${encodeURIComponent(Buffer.from(OFFER).toString('base64'))}`,
    `m${JSON.stringify({ type: 'webrtc/offer', value: OFFER })}`,
    `m${JSON.stringify({ type: 'webrtc', value: { type: 'offer', sdp: OFFER, ICE_servers: [] } })}`,
    'm{"type":"mse","value":"avc1.640029"}',
    'm{"type":"webrtc/candidate","value":"candidate:1 1 udp 1 192.0.2.1 9 typ host"}',
  ],
  words: [
    'a=sendrecv',
    'a=recvonly',
    'a=sendonly',
    'a=inactive',
    '\r\n',
    '\\r\\n',
    'm=video 9 UDP/TLS/RTP/SAVPF 96',
    'm=audio 9 X 0',
    'm=application 9 X y',
    'v=0',
    '"sdp":',
    '"SDP":',
    '"type":"offer"',
    '"\\u017fdp":',
    '\u2028',
    'a=Sendrecv',
    'a=sendrecv:x',
  ],
  judge(input) {
    const text = input.toString('utf8');
    const rest = text.slice(1);
    if (text.startsWith('m')) return message(rest);
    if (text.startsWith('s')) {
      const read = readSessionDescription(rest);
      if (!read.ok) return 'sdp unreadable';
      const { sends, text: written } = read.value;
      const found = sendsTo(written);
      assert.deepEqual([found.includes('video'), found.includes('audio')], [sends.video, sends.audio]);
      const again = readSessionDescription(written);
      assert.ok(again.ok && again.value.text === written);
      assert.doesNotMatch(written.replaceAll('\r\n', ''), /[\p{Cc}\u2028\u2029]/u);
      return 'sdp passed';
    }
    const contentType = TYPES[text.charCodeAt(0) % TYPES.length] ?? '';
    const judged = judgeOfferBody({ contentType, body: Buffer.from(rest) }, MUTE);
    if (!judged.ok) return 'body refused';
    assert.deepEqual(judgeOfferBody(judged.value, MUTE), judged, 'judged otherwise the second time');
    const { body, contentType: type } = judged.value;
    if (body.length === 0) return 'body passed';
    const sent = body.toString();
    if (type === 'application/json') {
      assert.deepEqual(Object.keys(JSON.parse(sent)), ['type', 'sdp']);
      assertHarmless(JSON.parse(sent).sdp);
    } else if (type.includes('form'))
      assertHarmless(Buffer.from(new URLSearchParams(sent).get('data') ?? '', 'base64').toString());
    else assertHarmless(sent);
    return 'body passed';
  },
};

function message(text: string): string {
  const verdict = createLiveSignalling(MUTE).fromClient(text);
  if (verdict.kind !== 'passed') return `message ${verdict.kind}`;
  assert.deepEqual(createLiveSignalling(MUTE).fromClient(verdict.text), verdict, 'judged otherwise the second time');
  const sent = JSON.parse(verdict.text);
  assert.deepEqual(Object.keys(sent), ['type', 'value']);
  if (sent.type === 'webrtc/offer') assertHarmless(sent.value);
  if (sent.type === 'webrtc') {
    assert.deepEqual(Object.keys(sent.value), ['type', 'sdp']);
    assertHarmless(sent.value.sdp);
  }
  return 'message passed';
}
