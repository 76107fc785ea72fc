/** Small drawn pictures for sample events: a scene by day or night, and what was seen in it, as PNG. */
import { crc32, deflateSync } from 'node:zlib';

export interface Scene {
  readonly label: string;
  readonly isNight: boolean;
  /** Where the figure stands, 0 (left) to 1. */
  readonly place: number;
  /** The camera's variant, so that pictures of one camera look alike. */
  readonly variant: number;
}

const WIDTH = 64;
const HEIGHT = 48;
const HORIZON = 20;
const PLACES = 4;
const VARIANTS = 6;

// biome-ignore format: a table
const PALETTES = {
  day:   [[154, 190, 220], [122, 132, 110], [92, 100, 84], [60, 56, 66], [214, 120, 72]],
  night: [[30, 34, 48],    [48, 52, 54],    [38, 42, 44],  [180, 184, 186], [220, 222, 224]],
} as const;
const [SKY, GROUND, WALL, FIGURE, ACCENT] = [0, 1, 2, 3, 4];

/** Left, top, width, height and colour of each part, from the figure's foot; y grows downwards. */
type Part = readonly [x: number, y: number, width: number, height: number, colour: number];
// biome-ignore format: a table
const FIGURES: Readonly<Record<string, readonly Part[]>> = {
  person:  [[-2, -21, 5, 5, ACCENT], [-4, -15, 9, 9, FIGURE], [-4, -6, 3, 6, FIGURE], [2, -6, 3, 6, FIGURE]],
  car:     [[-13, -9, 27, 7, ACCENT], [-8, -14, 16, 5, FIGURE], [-10, -3, 5, 4, FIGURE], [6, -3, 5, 4, FIGURE]],
  dog:     [[-7, -8, 12, 4, ACCENT], [5, -11, 4, 5, ACCENT], [-6, -4, 2, 4, FIGURE], [3, -4, 2, 4, FIGURE]],
  cat:     [[-4, -6, 8, 3, FIGURE], [4, -9, 3, 4, FIGURE], [-6, -9, 2, 4, FIGURE], [-3, -3, 2, 3, FIGURE], [2, -3, 2, 3, FIGURE]],
  package: [[-5, -8, 11, 8, ACCENT], [0, -8, 1, 8, FIGURE]],
};

const drawn = new Map<string, string>();

/** Base64 of a PNG of some 200 bytes; there are few different ones, so each is drawn once. */
export function samplePicture(scene: Scene): string {
  const place = Math.floor(scene.place * PLACES);
  const variant = scene.variant % VARIANTS;
  const key = `${scene.label} ${scene.isNight} ${place} ${variant}`;
  const picture = drawn.get(key) ?? asPng(draw(scene.label, place, variant), PALETTES[scene.isNight ? 'night' : 'day']);
  drawn.set(key, picture);
  return picture;
}

/** A byte per pixel, each row behind a zero: PNG's "no filter". */
function draw(label: string, place: number, variant: number): Buffer {
  const rows = Buffer.alloc((WIDTH + 1) * HEIGHT, SKY);
  const fill = ([left, top, width, height, colour]: Part): void => {
    for (let y = Math.max(0, top); y < Math.min(HEIGHT, top + height); y++) {
      const start = y * (WIDTH + 1) + 1;
      rows.fill(colour, start + Math.max(0, left), start + Math.min(WIDTH, left + width));
    }
  };
  fill([0, HORIZON, WIDTH, HEIGHT - HORIZON, GROUND as number]);
  fill([variant * 11, HORIZON - 10 - variant, 14 + variant, 14 + variant, WALL as number]);
  for (const [x, y, width, height, colour] of FIGURES[label] ?? FIGURES['package'] ?? [])
    fill([10 + place * 14 + x, HEIGHT - 6 + y, width, height, colour]);
  return rows;
}

function asPng(rows: Buffer, palette: readonly (readonly number[])[]): string {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(WIDTH, 0);
  header.writeUInt32BE(HEIGHT, 4);
  header.set([8, 3], 8); // eight bits a pixel, an index into the palette
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const chunks = [
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flat())),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND'),
  ];
  return Buffer.concat([signature, ...chunks]).toString('base64');
}

function chunk(type: string, content: Buffer = Buffer.alloc(0)): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const frame = Buffer.alloc(typed.length + 8);
  frame.writeUInt32BE(content.length, 0);
  typed.copy(frame, 4);
  frame.writeUInt32BE(crc32(typed), typed.length + 4);
  return frame;
}
