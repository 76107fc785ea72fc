/** Differences of colours as people see them, with full colour vision and without one kind of cones. */

export type Rgb = readonly [red: number, green: number, blue: number];
type Matrix = readonly [Rgb, Rgb, Rgb];

/** Linear light, 0 to 1, of `#rrggbb`. */
export const linear = (hex: string): Rgb => {
  const part = (at: number): number => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [part(1), part(3), part(5)];
};

/** Machado, Oliveira, Fernandes: A Physiologically-based Model for Simulation of Color Vision Deficiency (2009), severity 1. */
// biome-ignore format: a table
export const VISIONS: Readonly<Record<string, Matrix>> = {
  full:         [[1, 0, 0],                            [0, 1, 0],                            [0, 0, 1]],
  protanopia:   [[0.152286, 1.052583, -0.204868],      [0.114503, 0.786281, 0.099216],       [-0.003882, -0.048116, 1.051998]],
  deuteranopia: [[0.367322, 0.860646, -0.227968],      [0.280085, 0.672501, 0.047413],       [-0.01182, 0.04294, 0.968881]],
  tritanopia:   [[1.255528, -0.076749, -0.178779],     [-0.078411, 0.930809, 0.147602],      [0.004733, 0.691367, 0.3039]],
};

const times = (matrix: Matrix, [r, g, b]: Rgb): Rgb => {
  const row = ([x, y, z]: Rgb): number => x * r + y * g + z * b;
  return [row(matrix[0]), row(matrix[1]), row(matrix[2])];
};

export const seenBy = (vision: Matrix, colour: Rgb): Rgb => {
  const [r, g, b] = times(vision, colour);
  const inGamut = (value: number): number => Math.min(1, Math.max(0, value));
  return [inGamut(r), inGamut(g), inGamut(b)];
};

/** WCAG 2.2, 1.4.11. */
export function contrast(one: Rgb, other: Rgb): number {
  const light = ([r, g, b]: Rgb): number => 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
  const [a, b] = [light(one), light(other)];
  return Math.max(a, b) / Math.min(a, b);
}

const TO_XYZ: Matrix = [
  [0.4124564, 0.3575761, 0.1804375],
  [0.2126729, 0.7151522, 0.072175],
  [0.0193339, 0.119192, 0.9503041],
];

function lab(colour: Rgb): Rgb {
  const [x, y, z] = times(TO_XYZ, colour);
  const bent = (value: number): number => (value > 216 / 24389 ? Math.cbrt(value) : ((24389 / 27) * value + 16) / 116);
  const [fx, fy, fz] = [bent(x / 0.95047), bent(y), bent(z / 1.08883)];
  return [116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)];
}

const DEGREES = Math.PI / 180;
const hue = (a: number, b: number): number => (a === 0 && b === 0 ? 0 : (Math.atan2(b, a) / DEGREES + 360) % 360);

/** CIEDE2000; 1 is hardly seen, 10 at a glance. After Sharma, Wu, Dalal (2005). */
export function difference(one: Rgb, other: Rgb): number {
  const [[l1, a1, b1], [l2, a2, b2]] = [lab(one), lab(other)];
  const mean = (Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2;
  const g = 0.5 * (1 - Math.sqrt(mean ** 7 / (mean ** 7 + 25 ** 7)));
  const [x1, x2] = [a1 * (1 + g), a2 * (1 + g)];
  const [c1, c2] = [Math.hypot(x1, b1), Math.hypot(x2, b2)];
  const [h1, h2] = [hue(x1, b1), hue(x2, b2)];
  const turn = c1 * c2 === 0 ? 0 : ((((h2 - h1 + 180) % 360) + 360) % 360) - 180;
  const deltaH = 2 * Math.sqrt(c1 * c2) * Math.sin((turn / 2) * DEGREES);
  const [l, c] = [(l1 + l2) / 2, (c1 + c2) / 2];
  const h = c1 * c2 === 0 ? h1 + h2 : (h1 + turn / 2 + 360) % 360;
  const cosine = (degrees: number): number => Math.cos(degrees * DEGREES);
  const t = 1 - 0.17 * cosine(h - 30) + 0.24 * cosine(2 * h) + 0.32 * cosine(3 * h + 6) - 0.2 * cosine(4 * h - 63);
  const sl = 1 + (0.015 * (l - 50) ** 2) / Math.sqrt(20 + (l - 50) ** 2);
  const [sc, sh] = [1 + 0.045 * c, 1 + 0.015 * c * t];
  const rotation =
    -2 * Math.sqrt(c ** 7 / (c ** 7 + 25 ** 7)) * Math.sin(60 * Math.exp(-(((h - 275) / 25) ** 2)) * DEGREES);
  const [dl, dc, dh] = [(l2 - l1) / sl, (c2 - c1) / sc, deltaH / sh];
  return Math.sqrt(dl ** 2 + dc ** 2 + dh ** 2 + rotation * dc * dh);
}
