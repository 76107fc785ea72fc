/** The single events of a file while it is being read: lines of NDJSON, or elements of a JSON array (SPEC 1). */

export type SplitEvent =
  /** `at` is where it stands: `line 7` or `event 7`. */
  | { readonly kind: 'event'; readonly at: string; readonly text: string }
  | { readonly kind: 'unreadable'; readonly at: string; readonly reason: string }
  /** The file is of another kind; nothing follows. */
  | { readonly kind: 'not-events'; readonly reason: string };

/** A longer text is no event, and is not kept in memory. */
const LONGEST_EVENT = 16 * 1024 * 1024;
const TOO_LONG = 'longer than any event';

export async function* splitEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<SplitEvent> {
  const decoder = new TextDecoder();
  let splitter: ReturnType<typeof createSplitter> | undefined;
  for await (const chunk of chunks) {
    const piece = decoder.decode(chunk, { stream: true });
    if (!splitter && piece.trim() === '') continue;
    const first = piece.trim().charAt(0);
    if (!splitter && first !== '[' && first !== '{')
      return yield { kind: 'not-events', reason: 'it begins with neither "{" nor "[", so it is not JSON' };
    splitter ??= createSplitter(first === '[' ? createArray() : undefined);
    yield* splitter.push(piece);
  }
  yield* splitter?.end() ?? [];
}

/** Fed with a text in pieces. Without an array an event is a line, and blank lines are counted. */
function createSplitter(array: ReturnType<typeof createArray> | undefined) {
  let number = 1;
  let parts: string[] = [];
  let length = 0;
  const add = (part: string): void => {
    length += part.length;
    if (length <= LONGEST_EVENT) parts.push(part);
    else parts = [];
  };
  const take = (): SplitEvent[] => {
    const at = `${array ? 'event' : 'line'} ${number}`;
    const text = parts.join('').trim();
    const isTooLong = length > LONGEST_EVENT;
    [parts, length] = [[], 0];
    if (!array || isTooLong || text !== '') number++;
    if (isTooLong) return [{ kind: 'unreadable', at, reason: TOO_LONG }];
    return text === '' ? [] : [{ kind: 'event', at, text }];
  };
  return {
    push(piece: string): SplitEvent[] {
      const found: SplitEvent[] = [];
      let start = 0;
      for (let at = 0; at < piece.length; at++) {
        const code = piece.charCodeAt(at);
        if (array ? !array.passes(code) : code !== NEWLINE) continue;
        add(piece.slice(start, at));
        found.push(...take());
        start = at + 1;
      }
      add(piece.slice(start));
      return found;
    },
    end(): SplitEvent[] {
      if (!array) return take();
      const at = `event ${number}`;
      if (!array.isOver()) return [{ kind: 'unreadable', at, reason: 'the file ends before the array does' }];
      return take().length === 0 ? [] : [{ kind: 'unreadable', at, reason: 'stands behind the array' }];
    },
  };
}

const NEWLINE = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/** Depth 1 is inside the array. Commas there end an element; brackets count only outside of strings. */
function createArray() {
  let depth = 0;
  let isInString = false;
  let isEscaped = false;
  let isOver = false;
  return {
    isOver: () => isOver,
    /** Whether an element ends before this character. */
    passes(code: number): boolean {
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
    },
  };
}
