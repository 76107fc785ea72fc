/** Offers in each of the four forms, and the messages of a live WebSocket: a closed list, written anew (SPEC 5). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createLiveSignalling } from '../../src/access/live-messages.ts';
import { judgeOfferBody } from '../../src/access/live-offer.ts';
import { OFFERS, written } from '../support/offers.ts';

const { watch, talk, camera, dataChannel } = OFFERS;
const MAY_TALK = { mayTalk: true };
const MAY_NOT = { mayTalk: false };
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const form = (text: string): string => `data=${encodeURIComponent(base64(text))}`;

describe('An offer in a body', () => {
  // biome-ignore format: a table
  const FORMS: [type: string, sentAs: string, wrap: (sdp: string) => string][] = [
    ['application/json',                            'application/json',                  (sdp) => JSON.stringify({ type: 'offer', sdp })],
    ['Application/JSON; charset=utf-8',             'application/json',                  (sdp) => JSON.stringify({ SDP: sdp, Type: 'offer' })],
    ['application/sdp',                             'application/sdp',                   (sdp) => sdp],
    ['application/x-www-form-urlencoded',           'application/x-www-form-urlencoded', form],
    [' APPLICATION/X-WWW-FORM-URLENCODED ;x',       'application/x-www-form-urlencoded', form],
    ['text/html',                                   'text/plain',                        (sdp) => sdp],
    ['application/json-seq',                        'text/plain',                        (sdp) => sdp],
    ['',                                            'text/plain',                        (sdp) => sdp],
  ];
  for (const [type, sentAs, wrap] of FORMS) {
    const judge = (sdp: string, obligations = MAY_TALK) =>
      judgeOfferBody({ contentType: type, body: Buffer.from(wrap(sdp)) }, obligations);
    it(`of type "${type}" is read, and sent as ${sentAs}`, () => {
      const judged = judge(watch);
      assert.ok(judged.ok);
      assert.equal(judged.value.contentType, sentAs);
      assert.equal(sdpOf(sentAs, String(judged.value.body)), written(watch));
    });
    it(`of type "${type}" is refused when it sends what it may not`, () => {
      assert.deepEqual(judge(camera), { ok: false, error: 'offer-sends' });
      assert.deepEqual(judge(dataChannel), { ok: false, error: 'offer-sends' });
      assert.deepEqual(judge(talk, MAY_NOT), { ok: false, error: 'verb-denied' });
      assert.ok(judge(talk).ok);
    });
  }

  function sdpOf(type: string, body: string): string {
    if (type === 'application/json') return JSON.parse(body).sdp;
    if (type !== 'application/x-www-form-urlencoded') return body;
    return Buffer.from(new URLSearchParams(body).get('data') ?? '', 'base64').toString();
  }

  // biome-ignore format: a table
  const UNREADABLE: [sentence: string, contentType: string, body: string | Buffer][] = [
    ['is no JSON',                             'application/json', watch],
    ['is JSON of no offer',                    'application/json', '[]'],
    ['is an answer',                           'application/json', JSON.stringify({ type: 'answer', sdp: watch })],
    ['is JSON with another object behind it',  'application/json', `${JSON.stringify({ sdp: watch })}${JSON.stringify({ sdp: camera })}`],
    ['has no text for its SDP',                'application/json', JSON.stringify({ sdp: [watch] })],
    ['is a form without data',                 'application/x-www-form-urlencoded', `x=${base64(watch)}`],
    ['is a form whose data is no base64',      'application/x-www-form-urlencoded', `data=${encodeURIComponent(watch)}`],
    ['is not UTF-8',                           'application/sdp', Buffer.from([0xff, 0xfe, 0x76, 0])],
    ['has a byte order mark',                  'application/sdp', `\ufeff${watch}`],
  ];
  for (const [sentence, contentType, body] of UNREADABLE) {
    it(`is not read when it ${sentence}`, () => {
      const judged = judgeOfferBody({ contentType, body: Buffer.from(body) }, MAY_TALK);
      assert.deepEqual(judged, { ok: false, error: 'offer-unreadable' });
    });
  }

  it('that is empty does not count: the request is sent in the form that the stream server reads from the body alone', () => {
    const judged = judgeOfferBody({ contentType: 'application/x-www-form-urlencoded', body: Buffer.alloc(0) }, MAY_NOT);
    assert.deepEqual(judged, { ok: true, value: { contentType: 'text/plain', body: Buffer.alloc(0) } });
  });

  it('is judged by the last of two keys that are alike to the stream server', () => {
    const body = (text: string) => ({ contentType: 'application/json', body: Buffer.from(text) });
    const [good, bad] = [JSON.stringify(watch), JSON.stringify(camera)];
    assert.ok(!judgeOfferBody(body(`{"sdp":${good},"SDP":${bad}}`), MAY_TALK).ok);
    assert.ok(!judgeOfferBody(body(`{"sdp":${good},"\u017fdp":${bad}}`), MAY_TALK).ok, 'a long s is an s to Go');
    const judged = judgeOfferBody(
      body(`{"Sdp":${bad},"sdp":${good},"ice_servers":[{"urls":"turn:10.0.0.1"}]}`),
      MAY_TALK,
    );
    assert.deepEqual(judged.ok && JSON.parse(String(judged.value.body)), { type: 'offer', sdp: written(watch) });
  });
});

describe('A message of a live WebSocket', () => {
  const say = (message: unknown, obligations = MAY_TALK) =>
    createLiveSignalling(obligations).fromClient(typeof message === 'string' ? message : JSON.stringify(message));
  const passes = (message: unknown) => ({ kind: 'passed', text: JSON.stringify(message) });
  const DROPPED = { kind: 'dropped' };
  const ICE = [{ urls: ['stun:10.0.0.1:3478', 'turn:10.0.0.1'] }];

  // biome-ignore format: a table
  const rows: [sentence: string, message: unknown, verdict: unknown][] = [
    ['that asks for pictures passes',                    { type: 'mse', value: 'avc1.640029,mp4a.40.2' }, passes({ type: 'mse', value: 'avc1.640029,mp4a.40.2' })],
    ['that asks for pictures passes without codecs',     { type: 'mjpeg' },                              passes({ type: 'mjpeg', value: '' })],
    ['loses what stands beside its value',               { type: 'hls', value: '', x: 1 },               passes({ type: 'hls', value: '' })],
    ['in capitals is written anew',                      { TYPE: 'mp4', Value: 'a' },                    passes({ type: 'mp4', value: 'a' })],
    ['of an unknown type is dropped',                    { type: 'webrtc/hangup', value: '' },           DROPPED],
    ['of a type in capitals is dropped',                 { type: 'WebRTC', value: { sdp: watch } },      DROPPED],
    ['of a type that every object has is dropped',       { type: 'constructor' },                        DROPPED],
    ['of an object for codecs is dropped',               { type: 'mse', value: {} },                     DROPPED],
    ['with an offer passes',                             { type: 'webrtc/offer', value: watch },         passes({ type: 'webrtc/offer', value: written(watch) })],
    ['with an offer to talk passes',                     { type: 'webrtc/offer', value: talk },          passes({ type: 'webrtc/offer', value: written(talk) })],
    ['with an object loses its servers',                 { type: 'webrtc', value: { type: 'offer', sdp: watch, ice_servers: ICE } }, passes({ type: 'webrtc', value: { type: 'offer', sdp: written(watch) } })],
    ['with an object in capitals loses its servers',     { type: 'webrtc', value: { Sdp: watch, ICE_Servers: ICE } }, passes({ type: 'webrtc', value: { type: 'offer', sdp: written(watch) } })],
    ['with a candidate passes',                          { type: 'webrtc/candidate', value: 'candidate:1 1 udp 1 10.0.0.1 9 typ host' }, passes({ type: 'webrtc/candidate', value: 'candidate:1 1 udp 1 10.0.0.1 9 typ host' })],
    ['with the end of candidates passes',                { type: 'webrtc/candidate', value: '' },        passes({ type: 'webrtc/candidate', value: '' })],
    ['with two lines for a candidate is dropped',        { type: 'webrtc/candidate', value: 'candidate:1\r\na=x' }, DROPPED],
    ['with a long candidate is dropped',                 { type: 'webrtc/candidate', value: `candidate:${'1'.repeat(600)}` }, DROPPED],
    ['with no candidate is dropped',                     { type: 'webrtc/candidate', value: 'x' },       DROPPED],
    ['that is no JSON closes the socket',                'x',                                            { kind: 'malformed' }],
    ['that is no object closes the socket',              '["mse"]',                                      { kind: 'malformed' }],
    ['without a type closes the socket',                 { value: watch },                               { kind: 'malformed' }],
    ['deep as a well closes the socket',                 `${'['.repeat(30_000)}${']'.repeat(30_000)}`,   { kind: 'malformed' }],
  ];
  for (const [sentence, message, verdict] of rows) it(sentence, () => assert.deepEqual(say(message), verdict));

  it('that is empty does not count: the request is sent in the form that the stream server reads from the body alone', () => {
    const judged = judgeOfferBody({ contentType: 'application/x-www-form-urlencoded', body: Buffer.alloc(0) }, MAY_NOT);
    assert.deepEqual(judged, { ok: true, value: { contentType: 'text/plain', body: Buffer.alloc(0) } });
  });

  it('is judged by the last of two keys that are alike', () => {
    const text = `{"type":"mse","value":"","TYPE":"webrtc/offer","VALUE":${JSON.stringify(camera)}}`;
    assert.equal(say(text).kind, 'answered');
  });

  // biome-ignore format: a table
  const refused: [sentence: string, message: unknown, obligations: { mayTalk: boolean }, words: RegExp][] = [
    ['that makes the client the camera', { type: 'webrtc/offer', value: camera },                  MAY_TALK, /^webrtc\/offer: Access denied\..*recvonly/],
    ['that does so in an object',        { type: 'webrtc', value: { type: 'offer', sdp: camera } }, MAY_TALK, /recvonly/],
    ['with a data channel',              { type: 'webrtc/offer', value: dataChannel },             MAY_TALK, /data channel/],
    ['to talk, of a role that may not',  { type: 'webrtc', value: { sdp: talk } },                 MAY_NOT,  /Your role may not/],
    ['that is no SDP',                   { type: 'webrtc/offer', value: ['v=0'] },                 MAY_TALK, /offer could not be read/],
  ];
  for (const [sentence, message, obligations, words] of refused) {
    it(`with an offer ${sentence} is refused in the stream server's own form`, () => {
      const verdict = say(message, obligations);
      assert.equal(verdict.kind, 'answered');
      const { type, value } = JSON.parse(verdict.text);
      assert.equal(type, 'error');
      assert.match(value, words);
    });
  }

  it('with a second offer is dropped until the first is answered, and then judged like the first', () => {
    // biome-ignore format: a table
    const answers = [
      { type: 'webrtc/answer', value: 'v=0' }, { type: 'webrtc', value: { type: 'answer', sdp: 'v=0' } },
      { type: 'error', value: 'webrtc/offer: streams: no media' },
    ];
    for (const answer of answers) {
      const socket = createLiveSignalling(MAY_NOT);
      const offer = (sdp: string) => socket.fromClient(JSON.stringify({ type: 'webrtc/offer', value: sdp })).kind;
      assert.deepEqual([offer(watch), offer(watch)], ['passed', 'dropped']);
      socket.fromServer(JSON.stringify({ type: 'mse', value: 'video/mp4' }));
      socket.fromServer('no JSON');
      assert.equal(offer(watch), 'dropped');
      socket.fromServer(JSON.stringify(answer));
      assert.deepEqual([offer(talk), offer(camera), offer(watch)], ['answered', 'answered', 'passed']);
    }
  });

  it('that asks for pictures passes once of each kind', () => {
    const socket = createLiveSignalling(MAY_TALK);
    const ask = (type: string) => socket.fromClient(JSON.stringify({ type, value: '' })).kind;
    const kinds = ['mse', 'mp4', 'hls', 'mjpeg'];
    assert.deepEqual(kinds.map(ask), ['passed', 'passed', 'passed', 'passed']);
    assert.deepEqual(kinds.map(ask), ['dropped', 'dropped', 'dropped', 'dropped']);
  });

  it('with an offer passes a bounded number of times', () => {
    const socket = createLiveSignalling(MAY_TALK);
    const kinds = Array.from({ length: 50 }, () => {
      const { kind } = socket.fromClient(JSON.stringify({ type: 'webrtc/offer', value: watch }));
      socket.fromServer(JSON.stringify({ type: 'webrtc/answer', value: 'v=0' }));
      return kind;
    });
    assert.deepEqual([kinds.filter((kind) => kind === 'passed').length, kinds.at(-1)], [32, 'dropped']);
  });

  it('with a candidate passes a bounded number of times', () => {
    const socket = createLiveSignalling(MAY_TALK);
    const one = JSON.stringify({ type: 'webrtc/candidate', value: 'candidate:1 1 udp 1 10.0.0.1 9 typ host' });
    const kinds = Array.from({ length: 200 }, () => socket.fromClient(one).kind);
    assert.deepEqual([kinds.filter((kind) => kind === 'passed').length, kinds.at(-1)], [128, 'dropped']);
  });

  it('that passes is of the closed list, whatever was sent', () => {
    const key = fc.constantFrom('type', 'TYPE', 'value', 'Value', 'ice_servers', 'sdp', 'SDP');
    const value = fc.constantFrom(
      'webrtc',
      'webrtc/offer',
      'mse',
      watch,
      camera,
      talk,
      { sdp: camera },
      { sdp: watch, Ice_servers: ICE },
      null,
      1,
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(key, value), { maxLength: 6 }), (members) => {
        const text = `{${members.map(([name, member]) => `${JSON.stringify(name)}:${JSON.stringify(member)}`).join(',')}}`;
        const verdict = createLiveSignalling(MAY_NOT).fromClient(text);
        if (verdict.kind !== 'passed') return;
        assert.deepEqual(Object.keys(JSON.parse(verdict.text)), ['type', 'value']);
        assert.doesNotMatch(verdict.text, /ice_servers|sendonly|sendrecv|stun:/i);
      }),
      { numRuns: 500 },
    );
  });
});
