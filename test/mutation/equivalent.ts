/** Mutants that no test can notice, with the reason. */
import type { Mutant } from './mutants.ts';

export interface Equivalent {
  /** The end of the path of the module. */
  readonly file: string;
  /** A part of the line. */
  readonly on: string;
  readonly before: string;
  readonly after: string;
  readonly why: string;
}

const BEGINS_WITH_A_SLASH = 'a target that begins otherwise is refused in any case';
const NAMELESS = 'no parameter that is looked for is called by nothing, or begins with an equals sign';
const ENDS_BEHIND = 'what ends a string is never the first sign';
const FASTER = 'the rest comes to the same result, and takes longer';

// biome-ignore format: a table
export const EQUIVALENT: readonly Equivalent[] = [
  { file: 'access/query.ts', on: 'if (latest?.query !== query)', before: 'latest?.query !== query', after: 'true', why: FASTER },
  { file: 'access/query.ts', on: 'cut < 0 ? [raw',              before: '<', after: '<=', why: NAMELESS },
  { file: 'access/query.ts', on: 'cut < 0 ? [raw',              before: '0', after: '1', why: NAMELESS },
  { file: 'access/query.ts', on: 'ENCODED.test(text)',          before: 'ENCODED.test(text)', after: 'true', why: FASTER },
  { file: 'access/within-time.ts', on: 'place.usual === undefined', before: 'place.usual === undefined', after: 'false', why: 'what is no number is not late enough either' },
  { file: 'decision/admit.ts', on: 'const known = identity.kind', before: "identity.kind === 'identified'", after: 'true', why: 'only an identified verdict has a caller' },
  { file: 'domain/json.ts', on: 'for (let at = 0; at < text.length', before: '<', after: '<=', why: 'behind the end is no sign' },
  { file: 'domain/json.ts', on: "at = text.indexOf('\"', start + 1)", before: '>=', after: '>', why: ENDS_BEHIND },
  { file: 'domain/json.ts', on: "at = text.indexOf('\"', start + 1)", before: '0', after: '1', why: ENDS_BEHIND },
  { file: 'domain/json.ts', on: 'if ((at - before) % 2', before: '-', after: '+', why: 'both are even, or both odd' },
  { file: 'domain/json.ts', on: 'changed.includes(undefined)', before: 'changed.includes(undefined)', after: 'true', why: FASTER },
  { file: 'domain/json.ts', on: '!SUSPICIOUS.test(text)', before: '!SUSPICIOUS.test(text)', after: 'false', why: FASTER },
  { file: 'decision/strict-target.ts', on: "at = target.indexOf('&'); at >= 0;", before: '>=', after: '>', why: BEGINS_WITH_A_SLASH },
  { file: 'decision/strict-target.ts', on: "at = target.indexOf('&'); at >= 0;", before: '0', after: '1', why: BEGINS_WITH_A_SLASH },
  { file: 'decision/strict-target.ts', on: 'const path = inOneSpelling(cut < 0', before: '<', after: '<=', why: BEGINS_WITH_A_SLASH },
  { file: 'decision/strict-target.ts', on: 'const path = inOneSpelling(cut < 0', before: '0', after: '1', why: BEGINS_WITH_A_SLASH },
  { file: 'decision/strict-target.ts', on: 'const query = cut < 0', before: '<', after: '<=', why: BEGINS_WITH_A_SLASH },
  { file: 'decision/strict-target.ts', on: 'const query = cut < 0', before: '0', after: '1', why: BEGINS_WITH_A_SLASH },
  { file: 'decision/strict-target.ts', on: "const decoded = path.includes('%')", before: "path.includes('%')", after: 'true', why: FASTER },
  { file: 'forward/judged-request.ts', on: "headers['x-forwarded-for'] = chain.length", before: 'chain.length === 0', after: 'false', why: FASTER },
  { file: 'forward/judged-request.ts', on: 'ASCII.test(text) ? text', before: 'ASCII.test(text)', after: 'false', why: FASTER },
  { file: 'forward/judged-request.ts', on: "if (!line.includes(';'))", before: "!line.includes(';')", after: 'false', why: FASTER },
  { file: 'forward/judged-request.ts', on: 'const name = (end < 0', before: '<', after: '<=', why: 'a cookie without a name is another one' },
  { file: 'domain/addresses.ts',on: 'MOST_REMEMBERED = 1000',          before: '1000', after: '1001', why: 'the size of a memory' },
  { file: 'domain/addresses.ts',on: 'forwardedForLines.length === 0 ||', before: 'forwardedForLines.length === 0 || !trusted.includes(client)', after: 'false', why: FASTER },
  { file: 'domain/addresses.ts',on: 'forwardedForLines.length === 0 ||', before: '||', after: '&&', why: FASTER },
  { file: 'domain/addresses.ts',on: 'if (cidrs.length === 0)',         before: 'cidrs.length === 0', after: 'false', why: FASTER },
  { file: 'domain/addresses.ts',on: 'if (isIPv4(plain))',              before: 'isIPv4(plain)', after: 'false', why: FASTER },
];

/** Whether the row is about this mutant of the module. */
export const explains = (row: Equivalent, file: string, source: string, { line, before, after }: Mutant): boolean =>
  file.endsWith(row.file) &&
  row.before === before &&
  row.after === after &&
  source.split('\n')[line - 1]?.includes(row.on) === true;
