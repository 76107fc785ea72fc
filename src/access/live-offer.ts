/** An offer to the stream server: what its sections would send, whether the caller may make it, the four forms of its body (SPEC 5), and the same SDP in a spelling that every reader understands alike (RFC 8866). */
import { isRecord, parsedJson } from '../domain/json.ts';
import type { RefusalReason } from '../domain/refusal.ts';
import { err, ok, type Result } from '../domain/result.ts';
import { utf8 } from '../domain/text.ts';
import type { SignallingObligations } from './access-verdict.ts';

/** What the sections of an offer would send to the stream server. */
export interface SentMedia {
  readonly video: boolean;
  readonly audio: boolean;
  /** A data channel. */
  readonly data: boolean;
}

interface SessionDescription {
  readonly sends: SentMedia;
  /** The offer written anew: lines end in CRLF, and every section says its direction itself, once. */
  readonly text: string;
}

const DIRECTIONS = ['sendrecv', 'sendonly', 'recvonly', 'inactive'] as const;
type Direction = (typeof DIRECTIONS)[number];
/** RFC 8866 6.7: what a section means that says nothing, in a session that says nothing. */
const DEFAULT_DIRECTION: Direction = 'sendrecv';

/** A browser writes a few hundred. */
const MOST_OFFER_LINES = 2_000;
/** A browser offers two or three. */
const MOST_SECTIONS = 16;
/** Each makes the stream server send checks to an address. A browser with several networks offers about twenty. */
const MOST_CANDIDATES = 64;
const LONGEST_CANDIDATE = 512;

/** A type, an equals sign, and text without control characters or other line ends. */
const LINE = /^[a-z]=[^\p{Cc}\u2028\u2029]*$/u;
const SECTION = /^m=(?<kind>audio|video|application) \d{1,5}(?:\/\d{1,5})? [A-Za-z0-9/]+(?: [!-~]+)*$/;

type Kind = 'audio' | 'video' | 'application';

interface Block {
  /** Undefined for the lines before the first section. */
  readonly kind: Kind | undefined;
  readonly lines: string[];
  direction: Direction | undefined;
}

/** Errs with what cannot be read; strict, for the stream server's reader may take another view of what is unclear. */
export function readSessionDescription(text: string): Result<SessionDescription, string> {
  const lines = readLines(text);
  if (!text.isWellFormed()) return err('it holds half a character');
  if (lines.length > MOST_OFFER_LINES) return err('it has too many lines');
  if (lines[0] !== 'v=0') return err('it does not begin with v=0');
  const session: Block = { kind: undefined, lines: [], direction: undefined };
  const sections: Block[] = [];
  for (const line of lines) {
    const fault = LINE.test(line) ? addLine(line, session, sections) : 'a line is not plain';
    if (fault) return err(fault);
  }
  if (sections.length === 0) return err('it has no section');
  if (sections.length > MOST_SECTIONS) return err('it has too many sections');
  if (lines.filter(isCandidate).length > MOST_CANDIDATES) return err('it has too many candidates');
  return ok(described(session, sections));
}

function readLines(text: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  while (lines.at(-1) === '') lines.pop();
  return lines;
}

const joined = (lines: readonly string[]): string => lines.map((line) => `${line}\r\n`).join('');

/** Gives what is wrong with the line, if anything is. */
function addLine(line: string, session: Block, sections: Block[]): string | undefined {
  if (line.startsWith('m=')) {
    const kind = SECTION.exec(line)?.groups?.['kind'] as Kind | undefined;
    if (!kind) return 'a section is neither audio, video nor data';
    sections.push({ kind, lines: [line], direction: undefined });
    return undefined;
  }
  const block = sections.at(-1) ?? session;
  const direction = directionIn(line);
  if (direction === 'unclear' || (direction && block.direction)) return 'a direction is not clear';
  if (isCandidate(line) && line.length > LONGEST_CANDIDATE) return 'a candidate is too long';
  if (direction) block.direction = direction;
  else block.lines.push(line);
  return undefined;
}

/** `unclear`: in another spelling, or with a value, which some readers take for the direction and some do not. */
function directionIn(line: string): Direction | 'unclear' | undefined {
  if (!line.startsWith('a=')) return undefined;
  const name = (line.slice(2).split(':', 1)[0] ?? '').trim().toLowerCase();
  const direction = DIRECTIONS.find((known) => known === name);
  if (!direction) return undefined;
  return line === `a=${direction}` ? direction : 'unclear';
}

const isCandidate = (line: string): boolean => /^a=\s*candidate/i.test(line);

function described(session: Block, sections: readonly Block[]): SessionDescription {
  const resolved = sections.map(({ kind, lines, direction }) => ({
    kind,
    lines,
    direction: direction ?? session.direction ?? DEFAULT_DIRECTION,
  }));
  const sends = (kind: Kind): boolean =>
    resolved.some((section) => section.kind === kind && SENDING.includes(section.direction));
  const written = [...session.lines, ...resolved.flatMap(({ lines, direction }) => [...lines, `a=${direction}`])];
  return {
    sends: { video: sends('video'), audio: sends('audio'), data: sections.some(({ kind }) => kind === 'application') },
    text: joined(written),
  };
}

const SENDING: readonly Direction[] = ['sendrecv', 'sendonly'];

/** Bytes of an offer, or of a message that holds one. */
export const LARGEST_OFFER = 64 * 1024;

/** Gives the offer in the gate's own spelling. */
export function judgeOffer(sdp: string, { kind, mayTalk }: SignallingObligations): Result<string, RefusalReason> {
  const offer = readSessionDescription(sdp);
  if (!offer.ok) return err('offer-unreadable');
  const { video, audio, data } = offer.value.sends;
  // The stream server would take this client for the camera, and show its video to all viewers.
  if (video || (data && kind !== 'whep')) return err('offer-sends');
  if (audio && !mayTalk) return err('verb-denied');
  return ok(offer.value.text);
}

export interface OfferBody {
  readonly contentType: string;
  readonly body: Buffer;
}

interface OfferForm {
  /** The SDP in the body; undefined for none. */
  readonly read: (text: string) => string | undefined;
  readonly write: (sdp: string) => string;
}

const AS_IT_IS: OfferForm = { read: (text) => text, write: (sdp) => sdp };
const ANY_OTHER = 'text/plain';

/** The forms by media type. The stream server takes the body of every other type for the SDP itself. */
const FORMS: Readonly<Record<string, OfferForm>> = {
  'application/json': {
    read: (text) => sdpIn(parsedJson(text)),
    write: (sdp) => JSON.stringify({ type: 'offer', sdp }),
  },
  'application/x-www-form-urlencoded': {
    read: (text) => decoded(new URLSearchParams(text).get('data') ?? ''),
    write: (sdp) => `data=${encodeURIComponent(Buffer.from(sdp).toString('base64'))}`,
  },
  'application/sdp': AS_IT_IS,
  [ANY_OTHER]: AS_IT_IS,
};

/** WHEP has one media type for each kind of body. */
const NAMED_TYPES = { whep: 'application/sdp', candidates: 'application/trickle-ice-sdpfrag' } as const;

/** The body to send in the place of the one that came. The media type is read as the stream server reads it. */
export function judgeOfferBody(
  { contentType, body }: OfferBody,
  obligations: SignallingObligations,
): Result<OfferBody, RefusalReason> {
  const { kind } = obligations;
  // No offer. As a form it would have its data looked for in the query.
  if (!kind && body.length === 0) return ok({ contentType: ANY_OTHER, body });
  const named = (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
  if (kind && named !== NAMED_TYPES[kind]) return err('offer-unreadable');
  const type = kind || Object.hasOwn(FORMS, named) ? named : ANY_OTHER;
  const form = FORMS[type] ?? AS_IT_IS;
  const text = utf8(body);
  const sdp = text === undefined ? undefined : form.read(text);
  if (sdp === undefined) return err('offer-unreadable');
  const judged = kind === 'candidates' ? readIceFragment(sdp) : judgeOffer(sdp, obligations);
  return judged.ok ? ok({ contentType: type, body: Buffer.from(form.write(judged.value)) }) : judged;
}

/** `{type, sdp, ice_servers}`, the last of which would make the stream server call any address: it is left out. */
export function sdpIn(description: unknown): string | undefined {
  const { type = 'offer', sdp } = foldedMembers(description);
  return type === 'offer' && typeof sdp === 'string' ? sdp : undefined;
}

/** The stream server (Go) reads JSON names in any case; of names that differ only in case the last one counts. */
export const foldedMembers = (value: unknown): Readonly<Record<string, unknown>> =>
  isRecord(value)
    ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name.toUpperCase().toLowerCase(), member]))
    : {};

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const decoded = (data: string): string | undefined =>
  data !== '' && BASE64.test(data) ? utf8(Buffer.from(data, 'base64')) : undefined;

/** A browser names one section for each kind of media. */
const MOST_LINES = 500;

// biome-ignore format: a table
const LINES: readonly RegExp[] = [
  SECTION,
  /^a=ice-(?:ufrag|pwd):[A-Za-z0-9+/=_-]{1,256}$/,
  /^a=ice-options:[A-Za-z0-9 +/_-]{1,64}$/,
  /^a=mid:[A-Za-z0-9_-]{1,32}$/,
  /^a=group:BUNDLE(?: [A-Za-z0-9_-]{1,32}){0,16}$/,
  /^a=end-of-candidates$/,
];
const CANDIDATE = /^a=candidate:[ -~]+$/;

/** Each candidate makes the stream server send checks to an address: they are counted. */
function readIceFragment(text: string): Result<string, RefusalReason> {
  const lines = readLines(text);
  const candidates = lines.filter((line) => CANDIDATE.test(line));
  const isBounded = lines.length <= MOST_LINES && candidates.length <= MOST_CANDIDATES;
  const isKnown = (line: string): boolean =>
    CANDIDATE.test(line) ? line.length <= LONGEST_CANDIDATE : LINES.some((form) => form.test(line));
  return isBounded && lines.every(isKnown) ? ok(joined(lines)) : err('offer-unreadable');
}
