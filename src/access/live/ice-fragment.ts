/** Candidates that a player sends behind its offer, as an SDP fragment (RFC 8840): a closed list of lines, in the gate's own spelling (SPEC 5). */
import { err, ok, type Result } from '../../domain/result.ts';
import { LONGEST_CANDIDATE, MOST_CANDIDATES, SECTION } from './session-description.ts';

export const ICE_FRAGMENT = 'application/trickle-ice-sdpfrag';

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

/** Errs with what cannot be read. Each candidate makes the stream server send checks to an address: they are counted. */
export function readIceFragment(text: string): Result<string, string> {
  const lines = text.split(/\r?\n/);
  while (lines.at(-1) === '') lines.pop();
  if (lines.length > MOST_LINES) return err('it has too many lines');
  const candidates = lines.filter((line) => CANDIDATE.test(line));
  if (candidates.length > MOST_CANDIDATES) return err('it has too many candidates');
  if (candidates.some((line) => line.length > LONGEST_CANDIDATE)) return err('a candidate is too long');
  const isKnown = (line: string): boolean => CANDIDATE.test(line) || LINES.some((form) => form.test(line));
  return lines.every(isKnown) ? ok(lines.map((line) => `${line}\r\n`).join('')) : err('a line is of no known form');
}
