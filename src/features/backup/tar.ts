/** A tar archive (POSIX ustar), as far as a backup needs it: plain files, written and read as streams. */

export interface TarEntry {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
}

const BLOCK = 512;
const OWNER_ONLY = '0000600';
const LARGEST_SIZE = 8 ** 11 - 1;
const CHECKSUM = { at: 148, length: 8 } as const;

/** `modified`: Unix seconds. Throws for a name or a size that the format has no room for. */
export function tarHeader({ name, size }: TarEntry, modified: number): Buffer {
  if (Buffer.byteLength(name) > 99 || size > LARGEST_SIZE) throw new Error(`${name} does not fit into an archive`);
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0);
  header.write(`${OWNER_ONLY}\0`, 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  header.write(`${octal(size)}\0`, 124);
  header.write(`${octal(Math.floor(modified))}\0`, 136);
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  header.write(`${checksum(header).toString(8).padStart(6, '0')}\0 `, CHECKSUM.at);
  return header;
}

const octal = (value: number): string => value.toString(8).padStart(11, '0');

/** What stands behind a file of that size, up to the next block. */
export const tarPadding = (size: number): Buffer => Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);

export const tarEnd = (): Buffer => Buffer.alloc(2 * BLOCK);

/** The checksum of the header, with blanks in the place of its own checksum. */
function checksum(header: Buffer): number {
  let sum = CHECKSUM.length * 0x20;
  for (let at = 0; at < BLOCK; at++)
    if (at < CHECKSUM.at || at >= CHECKSUM.at + CHECKSUM.length) sum += header.readUInt8(at);
  return sum;
}

/** `modified`: Unix seconds. */
export type TarPart =
  | { readonly kind: 'file'; readonly entry: TarEntry; readonly modified: number }
  /** Bytes of the file that was named last. */
  | { readonly kind: 'bytes'; readonly bytes: Buffer };

/** Throws a sentence for what is no archive, and for one that ends too early. */
export async function* readTar(chunks: AsyncIterable<Buffer>): AsyncGenerator<TarPart> {
  let waiting: Buffer = Buffer.alloc(0);
  let left = 0;
  let padding = 0;
  let isEnded = false;
  for await (const chunk of chunks) {
    waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
    while (!isEnded) {
      if (left > 0) {
        if (waiting.length === 0) break;
        const bytes = waiting.subarray(0, left);
        left -= bytes.length;
        waiting = waiting.subarray(bytes.length);
        yield { kind: 'bytes', bytes };
      } else {
        if (waiting.length < padding + BLOCK) break;
        const header = waiting.subarray(padding, padding + BLOCK);
        waiting = waiting.subarray(padding + BLOCK);
        isEnded = header.every((byte) => byte === 0);
        if (isEnded) break;
        const entry = entryOf(header);
        left = entry.entry.size;
        padding = tarPadding(left).length;
        yield { kind: 'file', ...entry };
      }
    }
  }
  if (!isEnded) throw new Error('it ends too early: the file is incomplete');
}

function entryOf(header: Buffer): Omit<Extract<TarPart, { kind: 'file' }>, 'kind'> {
  const text = (from: number, length: number): string =>
    header.toString('utf8', from, from + length).split('\0')[0] ?? '';
  const stated = Number.parseInt(text(CHECKSUM.at, CHECKSUM.length), 8);
  if (stated !== checksum(header) || header.toString('latin1', 156, 157) !== '0')
    throw new Error('it is not a backup of Postern');
  const number = (from: number): number => Number.parseInt(text(from, 12), 8);
  return { entry: { name: text(0, 100), size: number(124) }, modified: number(136) };
}
