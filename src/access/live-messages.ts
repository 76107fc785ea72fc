/** Messages of a live WebSocket to the stream server: a closed list of types, each written anew (SPEC 5). */

import { isRecord, parsedJson } from '../domain/json.ts';
import { REFUSALS } from '../domain/refusal.ts';
import type { SignallingObligations } from './access-verdict.ts';
import { foldedMembers, judgeOffer, sdpIn } from './live-offer.ts';
import type { InboundVerdict } from './nvr-adapter.ts';

export type LiveVerdict =
  | InboundVerdict
  /** The NVR gets nothing; the client is told why, in the stream server's own form. */
  | { readonly kind: 'answered'; readonly text: string };

/** Offers of one socket: each may begin a connection anew. */
const MOST_OFFERS = 32;
/** Candidates of one socket: each makes the stream server send checks to an address. */
const MOST_CANDIDATES = 128;
const LONGEST_CANDIDATE = 512;
const LONGEST_CODECS = 4096;

const PLAIN_TEXT = /^[ -~]*$/;
const CANDIDATE = /^(?:a=)?candidate:[ -~]+$/;

/** Ask for pictures in a form; the value names codecs. */
const PICTURES: ReadonlySet<string> = new Set(['mse', 'mp4', 'hls', 'mjpeg']);
const ANSWERS: ReadonlySet<string> = new Set(['webrtc', 'webrtc/answer']);
/** What the stream server says besides errors. */
const SAID: ReadonlySet<string> = new Set([...PICTURES, ...ANSWERS, 'webrtc/candidate']);

const DROPPED: LiveVerdict = { kind: 'dropped' };
const MALFORMED: LiveVerdict = { kind: 'malformed' };
const passed = (type: string, value: unknown): LiveVerdict => ({
  kind: 'passed',
  text: JSON.stringify({ type, value }),
});

/** `onPlaylist` gets each playlist of a stream that was started. */
export function createLiveSignalling(obligations: SignallingObligations, onPlaylist?: (playlist: string) => void) {
  let isOfferUnderWay = false;
  let offers = 0;
  /** A player asks once for each: every question starts another stream at the server. */
  const asked = new Set<string>();
  let candidates = 0;

  const offer = (type: string, sdp: string | undefined, written: (sdp: string) => unknown): LiveVerdict => {
    if (isOfferUnderWay || offers >= MOST_OFFERS) return DROPPED;
    const judged = sdp === undefined ? undefined : judgeOffer(sdp, obligations);
    if (judged?.ok) {
      isOfferUnderWay = true;
      offers += 1;
      return passed(type, written(judged.value));
    }
    const { message } = REFUSALS[judged?.error ?? 'offer-unreadable'];
    return { kind: 'answered', text: JSON.stringify({ type: 'error', value: `webrtc/offer: ${message}` }) };
  };
  const pictures = (type: string, value: unknown): LiveVerdict => {
    if (asked.has(type) || !isCodecs(value)) return DROPPED;
    asked.add(type);
    return passed(type, value ?? '');
  };
  const candidate = (value: unknown): LiveVerdict => {
    const text = value ?? '';
    if (typeof text !== 'string' || text.length > LONGEST_CANDIDATE) return DROPPED;
    candidates += 1;
    return candidates <= MOST_CANDIDATES && (text === '' || CANDIDATE.test(text))
      ? passed('webrtc/candidate', text)
      : DROPPED;
  };
  /** The judges by type. The second is the first with its value as an object. */
  const BY_TYPE: Readonly<Record<string, (value: unknown) => LiveVerdict>> = {
    'webrtc/offer': (value) => offer('webrtc/offer', typeof value === 'string' ? value : undefined, (sdp) => sdp),
    webrtc: (value) => offer('webrtc', sdpIn(value), (sdp) => ({ type: 'offer', sdp })),
    'webrtc/candidate': candidate,
  };

  return {
    fromClient(text: string): LiveVerdict {
      const { type, value } = foldedMembers(parsedJson(text));
      if (typeof type !== 'string') return MALFORMED;
      if (PICTURES.has(type)) return pictures(type, value);
      return Object.hasOwn(BY_TYPE, type) ? (BY_TYPE[type]?.(value) ?? DROPPED) : DROPPED;
    },
    /** Takes each text of the stream server: its answer ends the offer that is under way. Gives what the client is told, if anything. */
    fromServer(text: string): string | undefined {
      const message = parsedJson(text);
      const { type, value } = isRecord(message) ? message : {};
      if (typeof type !== 'string') return undefined;
      const isFailedOffer = type === 'error' && typeof value === 'string' && value.startsWith('webrtc');
      if (isFailedOffer || ANSWERS.has(type)) isOfferUnderWay = false;
      if (type === 'hls' && typeof value === 'string') onPlaylist?.(value);
      if (type === 'error') return JSON.stringify({ type, value: errorLeft(value) });
      return SAID.has(type) ? text : undefined;
    },
  };
}

/**
 * What was asked for, and that it failed: behind it stands what a program or a camera said, with its address and perhaps its
 * password. The players read the beginning.
 */
function errorLeft(value: unknown): string {
  const [asked = ''] = typeof value === 'string' ? value.split(':', 1) : [];
  return `${ASKED.test(asked) ? `${asked}: ` : ''}The stream could not be started. Admins are told why.`;
}

const ASKED = /^(?:mse|mp4|hls|mjpeg|webrtc(?:\/offer|\/answer|\/candidate)?)$/;

const isCodecs = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (typeof value === 'string' && value.length <= LONGEST_CODECS && PLAIN_TEXT.test(value));
