/** The single events of a file while it is being read: lines of NDJSON, or elements of a JSON array (SPEC 1). */

export type SplitEvent =
  /** `at` is where it stands: `line 7` or `event 7`. */
  | { readonly kind: 'event'; readonly at: string; readonly text: string }
  | { readonly kind: 'unreadable'; readonly at: string; readonly reason: string }
  /** The file is of another kind; nothing follows. */
  | { readonly kind: 'not-events'; readonly reason: string };

/** Fed with a text in pieces. */
interface Splitter {
  push(piece: string): SplitEvent[];
  end(): SplitEvent[];
}

/** A longer text is no event, and is not kept in memory. */
const LONGEST_EVENT = 16 * 1024 * 1024;
const TOO_LONG = 'longer than any event';

export async function* splitEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<SplitEvent> {
  const decoder = new TextDecoder();
  let splitter: Splitter | undefined;
  for await (const chunk of chunks) {
    const piece = decoder.decode(chunk, { stream: true });
    if (!splitter && piece.trim() === '') continue;
    splitter ??= splitterFor(piece);
    if (!splitter) return yield { kind: 'not-events', reason: 'it begins with neither "{" nor "[", so it is not JSON' };
    yield* splitter.push(piece);
  }
  yield* splitter?.end() ?? [];
}

function splitterFor(piece: string): Splitter | undefined {
  const first = piece.trim().charAt(0);
  if (first === '[') return arraySplitter();
  return first === '{' ? lineSplitter() : undefined;
}

function lineSplitter(): Splitter {
  let line = 1;
  const pending = createPending();
  const take = (): SplitEvent[] => {
    const found = pending.take(`line ${line}`);
    line++;
    return found;
  };
  return {
    push(piece) {
      const parts = piece.split('\n');
      return parts.flatMap((part, at) => {
        pending.add(part);
        return at < parts.length - 1 ? take() : [];
      });
    },
    end: take,
  };
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/** Depth 1 is inside the array. Commas there end an element; brackets count only outside of strings. */
function arraySplitter(): Splitter {
  let depth = 0;
  let isInString = false;
  let isEscaped = false;
  let isOver = false;
  let element = 1;
  const pending = createPending();

  const take = (): SplitEvent[] => {
    const found = pending.take(`event ${element}`);
    if (found.length > 0) element++;
    return found;
  };
  /** Whether an element ends before this character. */
  const passes = (code: number): boolean => {
    if (isOver) return false;
    if (isInString) {
      isInString = isEscaped || code !== QUOTE;
      isEscaped = !isEscaped && code === BACKSLASH;
      return false;
    }
    if (code === QUOTE) isInString = true;
    if (OPENING.has(code)) return ++depth === 1;
    if (CLOSING.has(code)) {
      isOver = --depth === 0;
      return isOver;
    }
    return code === COMMA && depth === 1;
  };

  return {
    push(piece) {
      const found: SplitEvent[] = [];
      let start = 0;
      for (let at = 0; at < piece.length; at++) {
        if (!passes(piece.charCodeAt(at))) continue;
        pending.add(piece.slice(start, at));
        found.push(...take());
        start = at + 1;
      }
      pending.add(piece.slice(start));
      return found;
    },
    end() {
      const at = `event ${element}`;
      const isCut = !isOver;
      if (!isCut && take().length === 0) return [];
      return [
        { kind: 'unreadable', at, reason: isCut ? 'the file ends before the array does' : 'stands behind the array' },
      ];
    },
  };
}

/** What has been read of the event at hand. */
function createPending() {
  let parts: string[] = [];
  let length = 0;
  return {
    add(part: string): void {
      length += part.length;
      if (length <= LONGEST_EVENT) parts.push(part);
      else parts = [];
    },
    take(at: string): SplitEvent[] {
      const text = parts.join('').trim();
      const isTooLong = length > LONGEST_EVENT;
      parts = [];
      length = 0;
      if (isTooLong) return [{ kind: 'unreadable', at, reason: TOO_LONG }];
      return text === '' ? [] : [{ kind: 'event', at, text }];
    },
  };
}
