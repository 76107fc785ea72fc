/** SDP offers: what each section sends, and what is not clear is refused (RFC 8866; SPEC 5). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readSessionDescription, type SentMedia } from '../../src/access/live-offer.ts';

const HEAD = ['v=0', 'o=- 1 2 IN IP4 127.0.0.1', 's=-', 't=0 0', 'a=group:BUNDLE 0 1'];
const VIDEO = 'm=video 9 UDP/TLS/RTP/SAVPF 96 97';
const AUDIO = 'm=audio 9 UDP/TLS/RTP/SAVPF 111';
const DATA = 'm=application 9 UDP/DTLS/SCTP webrtc-datachannel';
const sdp = (...lines: string[]): string => [...HEAD, ...lines, ''].join('\r\n');

const sent = (...kinds: (keyof SentMedia)[]): SentMedia => ({
  video: kinds.includes('video'),
  audio: kinds.includes('audio'),
  data: kinds.includes('data'),
});

describe('An offer', () => {
  // biome-ignore format: a table
  const rows: [sentence: string, lines: string[], sends: SentMedia][] = [
    ['that only receives sends nothing',                     [VIDEO, 'a=recvonly', AUDIO, 'a=recvonly'],                   sent()],
    ['that is inactive sends nothing',                       [VIDEO, 'a=inactive'],                                        sent()],
    ['may send video',                                       [VIDEO, 'a=sendonly'],                                        sent('video')],
    ['may send and receive video',                           [VIDEO, 'a=sendrecv'],                                        sent('video')],
    ['may send audio beside video that it receives',         [VIDEO, 'a=recvonly', AUDIO, 'a=sendrecv'],                   sent('audio')],
    ['may send audio only',                                  [VIDEO, 'a=recvonly', AUDIO, 'a=sendonly'],                   sent('audio')],
    ['sends both ways when nothing is said',                 [VIDEO, AUDIO],                                               sent('video', 'audio')],
    ['takes the direction of the session',                   ['a=recvonly', VIDEO, AUDIO],                                 sent()],
    ['takes the direction of the session, when it sends',    ['a=sendonly', VIDEO, 'a=recvonly', AUDIO],                   sent('audio')],
    ['has a section of its own mind in a session that does not send', ['a=recvonly', VIDEO, 'a=sendrecv'],                 sent('video')],
    ['is judged by all its video sections',                  [VIDEO, 'a=recvonly', VIDEO, 'a=sendonly'],                   sent('video')],
    ['is judged by a section without a port',                [VIDEO.replace(' 9 ', ' 0 '), 'a=sendonly'],                  sent('video')],
    ['has a direction among other lines',                    [VIDEO, 'c=IN IP4 0.0.0.0', 'a=mid:0', 'a=sendonly', 'a=x:y'], sent('video')],
    ['may ask for a data channel',                           [VIDEO, 'a=recvonly', DATA, 'a=sendrecv'],                    sent('data')],
    ['may ask for an inactive data channel',                 [VIDEO, 'a=recvonly', DATA, 'a=inactive'],                    sent('data')],
  ];
  for (const [sentence, lines, expected] of rows) {
    it(sentence, () => {
      const read = readSessionDescription(sdp(...lines));
      assert.ok(read.ok, read.ok ? '' : read.error);
      assert.deepEqual(read.value.sends, expected);
    });
  }

  it('is written anew: every section says its direction, once, and lines end alike', () => {
    const read = readSessionDescription(
      ['v=0', 's= ', 'a=recvonly', VIDEO, 'a=mid:0', AUDIO, 'a=sendonly', 'a=mid:1'].join('\n'),
    );
    assert.equal(
      read.ok && read.value.text,
      ['v=0', 's= ', VIDEO, 'a=mid:0', 'a=recvonly', AUDIO, 'a=mid:1', 'a=sendonly', ''].join('\r\n'),
    );
  });

  it('may end in empty lines', () => assert.ok(readSessionDescription(`${sdp(VIDEO, 'a=recvonly')}\r\n\r\n`).ok));

  it('is read in time that grows with its length, whatever it holds', () => {
    const before = process.cpuUsage();
    const large = (filler: string): string => `v=0\n${filler.repeat(65_536 / filler.length)}\u0101x`;
    for (const filler of ['\n', 'a=\n', 'a=\u0101\n', 'm=video 9 X\n', 'm=audio 9 X !\n', 'a= ', ' '])
      readSessionDescription(large(filler));
    // Processor time: what others do on the machine does not count. It takes some 20 ms.
    assert.ok(process.cpuUsage(before).user < 2_000_000);
  });

  // biome-ignore format: a table
  const refused: [sentence: string, text: string][] = [
    ['is empty',                                   ''],
    ['is no SDP',                                  'hello'],
    ['begins with anything but its version',       `\r\n${sdp(VIDEO, 'a=recvonly')}`],
    ['has no section',                             sdp()],
    ['has an empty line',                          sdp(VIDEO, 'a=recvonly', '', AUDIO, 'a=recvonly')],
    ['has a line end of another kind',             sdp(VIDEO, 'a=recvonly\ra=sendonly')],
    ['has a separator that some take for a line end', sdp(VIDEO, 'a=recvonly\u2028a=sendonly')],
    ['has a NUL',                                  sdp(VIDEO, 'a=recvonly\0')],
    ['says a direction twice',                     sdp(VIDEO, 'a=recvonly', 'a=sendonly')],
    ['says the same direction twice',              sdp(VIDEO, 'a=recvonly', 'a=recvonly')],
    ['says a direction twice for the session',     sdp('a=recvonly', 'a=sendonly', VIDEO)],
    ['says a direction in capitals',               sdp(VIDEO, 'a=SendOnly')],
    ['says a direction with a value',              sdp(VIDEO, 'a=sendonly:1')],
    ['says a direction with a blank in front',     sdp(VIDEO, 'a= sendonly')],
    ['says a direction with a blank behind',       sdp(VIDEO, 'a=recvonly ')],
    ['says a direction with an empty value',       sdp(VIDEO, 'a=recvonly:')],
    ['has a section in capitals',                  sdp('m=VIDEO 9 UDP/TLS/RTP/SAVPF 96', 'a=recvonly')],
    ['has a section of another kind',              sdp('m=text 9 UDP/TLS/RTP/SAVPF 96', 'a=recvonly')],
    ['has a section with two blanks',              sdp('m=video  9 UDP/TLS/RTP/SAVPF 96', 'a=recvonly')],
    ['has a section with a blank in front',        sdp(' m=video 9 UDP/TLS/RTP/SAVPF 96', 'a=recvonly')],
    ['has a section without a port',               sdp('m=video UDP/TLS/RTP/SAVPF 96', 'a=recvonly')],
    ['has a line of a type in capitals',           sdp('M=video 9 UDP/TLS/RTP/SAVPF 96', 'a=recvonly')],
    ['has too many sections',                      sdp(...Array.from({ length: 17 }, () => [AUDIO, 'a=recvonly']).flat())],
    ['has too many lines',                         sdp(VIDEO, 'a=recvonly', ...Array.from({ length: 2_000 }, () => 'a=x'))],
    ['has too many candidates',                    sdp(VIDEO, 'a=recvonly', ...Array.from({ length: 65 }, () => 'a=candidate:1 1 udp 1 10.0.0.1 9 typ host'))],
    ['has a candidate that is too long',           sdp(VIDEO, 'a=recvonly', `a=candidate:${'1'.repeat(600)}`)],
    ['has half a character',                       sdp(VIDEO, 'a=recvonly', 'a=x:\ud800')],
  ];
  for (const [sentence, text] of refused) {
    it(`is not read when it ${sentence}`, () => assert.equal(readSessionDescription(text).ok, false));
  }
});

describe('Any offer', () => {
  const direction = fc.constantFrom('sendrecv', 'sendonly', 'recvonly', 'inactive', undefined);
  const section = fc.record({
    kind: fc.constantFrom(VIDEO, AUDIO, DATA),
    direction,
    others: fc.array(fc.constantFrom('a=mid:0', 'a=rtcp-mux', 'c=IN IP4 0.0.0.0', 'a=fmtp:96 sendonly=1', 'b=AS:1')),
  });

  it('sends what one of its sections sends by the rules of the standard', () => {
    fc.assert(
      fc.property(direction, fc.array(section, { minLength: 1, maxLength: 8 }), (ofSession, sections) => {
        const lines = sections.flatMap(({ kind, direction: own, others }) => [
          kind,
          ...others,
          ...(own ? [`a=${own}`] : []),
        ]);
        const read = readSessionDescription(sdp(...(ofSession ? [`a=${ofSession}`] : []), ...lines));
        assert.ok(read.ok);
        const sends = (kind: string): boolean =>
          sections.some((each) => each.kind === kind && (each.direction ?? ofSession ?? 'sendrecv').startsWith('send'));
        assert.deepEqual(read.value.sends, {
          video: sends(VIDEO),
          audio: sends(AUDIO),
          data: sections.some(({ kind }) => kind === DATA),
        });
      }),
    );
  });

  it('that is read says the same when it is read again, with one direction in each section', () => {
    const word = fc.constantFrom(
      'v=0', 'a=', 'm=video 9 X 96', 'm=audio 9 X 0', 'sendonly', 'recvonly', 'sendrecv', '\r\n', '\n', '\r', ':', ' ',
      'A=sendonly', 'a=mid:1', '\u2028', '\t', 'm=application 9 X y', 's=-', '\ufeff', 'ſendonly',
    ); // biome-ignore format: short words
    fc.assert(
      fc.property(fc.array(word, { maxLength: 40 }), (words) => {
        const read = readSessionDescription(`v=0\r\n${words.join('')}`);
        if (!read.ok) return;
        const again = readSessionDescription(read.value.text);
        assert.deepEqual(again, read);
        const blocks = read.value.text.split(/^m=/m).slice(1);
        for (const block of blocks)
          assert.equal(block.match(/^a=(?:sendrecv|sendonly|recvonly|inactive)\r$/gm)?.length, 1);
        assert.doesNotMatch(read.value.text, /[^\r]\n|\r[^\n]/);
      }),
      { numRuns: 2000 },
    );
  });

  it('is read or not, whatever it holds, without a fault', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void readSessionDescription(`v=0\n${text}`)));
  });
});
