/** SDP offers: what each section would send, and the same offer in a spelling that every reader understands alike (RFC 8866). */
import { err, ok, type Result } from '../../domain/result.ts';

/** What the sections of an offer would send to the stream server. */
export interface SentMedia {
  readonly video: boolean;
  readonly audio: boolean;
  /** A data channel. */
  readonly data: boolean;
}

export interface SessionDescription {
  readonly sends: SentMedia;
  /** The offer written anew: lines end in CRLF, and every section says its direction itself, once. */
  readonly text: string;
}

const DIRECTIONS = ['sendrecv', 'sendonly', 'recvonly', 'inactive'] as const;
type Direction = (typeof DIRECTIONS)[number];
/** RFC 8866 6.7: what a section means that says nothing, in a session that says nothing. */
const DEFAULT_DIRECTION: Direction = 'sendrecv';

/** A browser writes a few hundred. */
const MOST_LINES = 2_000;
/** A browser offers two or three. */
const MOST_SECTIONS = 16;
/** Each makes the stream server send checks to an address. A browser with several networks offers about twenty. */
export const MOST_CANDIDATES = 64;
export const LONGEST_CANDIDATE = 512;

/** A type, an equals sign, and text without control characters or other line ends. */
const LINE = /^[a-z]=[^\p{Cc}\u2028\u2029]*$/u;
export const SECTION = /^m=(?<kind>audio|video|application) \d{1,5}(?:\/\d{1,5})? [A-Za-z0-9/]+(?: [!-~]+)*$/;

type Kind = 'audio' | 'video' | 'application';

interface Block {
  /** Undefined for the lines before the first section. */
  readonly kind: Kind | undefined;
  readonly lines: string[];
  direction: Direction | undefined;
}

/** Errs with what cannot be read; strict, for the stream server's reader may take another view of what is unclear. */
export function readSessionDescription(text: string): Result<SessionDescription, string> {
  const lines = text.split(/\r?\n/);
  while (lines.at(-1) === '') lines.pop();
  if (!text.isWellFormed()) return err('it holds half a character');
  if (lines.length > MOST_LINES) return err('it has too many lines');
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
    text: written.map((line) => `${line}\r\n`).join(''),
  };
}

const SENDING: readonly Direction[] = ['sendrecv', 'sendonly'];
