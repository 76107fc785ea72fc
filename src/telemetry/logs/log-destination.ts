/** Where log lines go: JSON on standard output, and pretty where a person is looking (SPEC 9). */
import type { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { isRecord, parsedJson } from '../../domain/json.ts';
import { visibleJson } from '../../domain/text.ts';

export type LogDestination = ReturnType<typeof openLogDestination>;

/** The time for which lines are gathered and then written together: a line for each request must not be a system call each. */
const GATHERED_MS = 20;
/** The most characters that wait for a reader that has stopped: they must not fill the memory. */
const MOST_WAITING = 1024 * 1024;

export function openLogDestination(stdout: Writable & { isTTY?: boolean }) {
  let waiting: string[] = [];
  let length = 0;
  let dropped = 0;
  const flush = (): void => {
    // Node keeps what a pipe does not take; more is given only when that has gone out.
    if (waiting.length === 0 || stdout.writableNeedDrain) return;
    const text = waiting.join('');
    waiting = [];
    length = 0;
    stdout.write(text);
  };
  // The reader is gone: a closed pipe, a terminal that hung up. The gate goes on without it.
  stdout.on('error', () => {});
  stdout.on('drain', flush);
  process.on('exit', flush); // what was said last before a fault is what is wanted most
  return {
    /** Writes what is gathered, before anything else is written to the same place. */
    flush,
    /** How many lines were dropped since the start, because the output was not read. */
    dropped: () => dropped,
    /** Whether everything was written, after waiting for so long at most. */
    async written(patienceMs: number): Promise<boolean> {
      const end = performance.now() + patienceMs;
      for (flush(); waiting.length > 0 || stdout.writableLength > 0; flush()) {
        if (performance.now() >= end) return false;
        await delay(GATHERED_MS);
      }
      return true;
    },
    write(line: string): void {
      if (length + line.length > MOST_WAITING) {
        dropped += 1;
        return;
      }
      if (waiting.length === 0) setTimeout(flush, GATHERED_MS);
      const text = stdout.isTTY ? prettyLine(line) : line;
      waiting.push(text);
      length += text.length;
    },
  };
}

// biome-ignore format: a table
const COLOURS: Readonly<Record<string, number>> = { trace: 90, debug: 90, info: 32, warn: 33, error: 31, fatal: 31 };
const DIM = 90;

/** A record for a terminal, always on one line; a text that is no JSON object is given back as it is. */
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
