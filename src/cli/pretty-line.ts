/** Formats a log record for a terminal, always on one line (SPEC 9). */
import { isRecord, parsedJson } from '../domain/json.ts';
import { visibleJson } from '../domain/text/visible-text.ts';

// biome-ignore format: a table
const COLOURS: Readonly<Record<string, number>> = { trace: 90, debug: 90, info: 32, warn: 33, error: 31, fatal: 31 };
const DIM = 90;

/** `line` is a JSON object; anything else is given back as it is. */
export function prettyLine(line: string): string {
  const record = parsedJson(line);
  if (!isRecord(record)) return line;
  const { level = '', time = '', logger = '', msg = '', ...rest } = record;
  const fields = Object.entries(rest).map(([name, value]) => `${coloured(DIM, `${plain(name)}=`)}${shown(value)}`);
  const mark = coloured(COLOURS[String(level)] ?? DIM, String(plain(level)).toUpperCase().padEnd(5));
  return `${[coloured(DIM, clockTime(time)), mark, coloured(DIM, plain(logger)), plain(msg), ...fields].join(' ')}\n`;
}

/** The time in the reader's own time zone. */
function clockTime(time: unknown): string {
  const at = new Date(String(time));
  if (Number.isNaN(at.getTime())) return '--:--:--.---';
  const [hours, minutes, seconds] = [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => digits(part, 2));
  return `${hours}:${minutes}:${seconds}.${digits(at.getMilliseconds(), 3)}`;
}

const digits = (value: number, width: number): string => String(value).padStart(width, '0');

/** The text without quotes, but with the escapes of what is inside. */
const plain = (text: unknown): string =>
  visibleJson(JSON.stringify(String(text)))
    .slice(1, -1)
    .replaceAll('\\"', '"');

const WORD = /^[\w./:@+-]+$/;

/** Quoted where the value has blanks or quotes. */
const shown = (value: unknown): string =>
  typeof value === 'string' && WORD.test(value) ? value : visibleJson(JSON.stringify(value) ?? 'undefined');

const coloured = (colour: number, text: string): string => `\u001b[${colour}m${text}\u001b[39m`;
