/** The kinds of value that configuration keys take, with the words for a bad one (SPEC 1). */
import { z } from 'zod';
import { parseNetwork } from '../../domain/addresses.ts';
import { isCameraEntry, parseCameraEntry } from '../../domain/camera-scope.ts';
import { DURATION_EXAMPLES, parseDuration } from '../../domain/clock.ts';
import type { CameraName } from '../../domain/names.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import { parsed } from '../../routes/shapes.ts';

/** 100 years: as good as for ever, and still a date. */
export const LONGEST_SECONDS = 3_153_600_000;
/** setTimeout fires at once beyond 2^31 - 1 milliseconds. */
const LONGEST_TIMEOUT_SECONDS = 2_147_483;

/** A value that stays as it is written, unless `check` has words for what is wrong with it. */
export const checked = <Type extends z.ZodType>(
  type: Type,
  check: (value: z.output<Type>) => Result<unknown, string> | string | undefined,
): Type =>
  type.superRefine((value, context) => {
    const said = check(value);
    const message = typeof said === 'object' ? (said.ok ? undefined : said.error) : said;
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });

/** Text that stays as it is, if it passes. */
export const text = (passes: RegExp | ((value: string) => boolean), wrong: string) =>
  z.string().refine((value) => (typeof passes === 'function' ? passes(value) : passes.test(value)), {
    error: ({ input }) => `${JSON.stringify(input)} ${wrong}`,
  });

/** A duration is written as `90`, `15m`, `1h` or `7d`, wherever a key takes one; a plain number is seconds. */
export const duration = <Seconds extends z.ZodType<number | null>>(seconds: Seconds) =>
  z
    .preprocess((written) => (typeof written === 'string' ? (parseDuration(written) ?? written) : written), seconds)
    .meta({ duration: true });

const notADuration = ({ code, input }: { readonly code?: string | undefined; readonly input?: unknown }) =>
  code === 'invalid_type' && typeof input === 'string'
    ? `${JSON.stringify(input)} is not a duration: write for example ${DURATION_EXAMPLES}`
    : undefined;

export const wholeSeconds = (least = 0, most = LONGEST_SECONDS) =>
  duration(z.int({ error: notADuration }).min(least).max(most));
/** Zero turns off what the key bounds. */
export const wholeSecondsOrZero = (least: number, most: number) =>
  duration(
    z
      .int({ error: notADuration })
      .min(0)
      .max(most)
      .refine((seconds) => seconds === 0 || seconds >= least, {
        error: `is too short: write at least ${least} seconds, or 0`,
      }),
  );
export const timeoutSeconds = () => duration(z.number({ error: notADuration }).positive().max(LONGEST_TIMEOUT_SECONDS));

/** Null is never. */
export const secondsOrNever = (least: number) => {
  const words = ({ input }: { readonly input?: unknown }): string =>
    `${JSON.stringify(input)} is not a duration of at least ${least} seconds: write for example 1h, 30m or 3600, or null for never`;
  return duration(z.union([z.int().min(least).max(LONGEST_SECONDS), z.null()], { error: words }));
};

const BYTES_PER_UNIT: Readonly<Record<string, number>> = {
  B: 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  KIB: 2 ** 10,
  MIB: 2 ** 20,
  GIB: 2 ** 30,
};
const SIZE = /^(?<number>\d{1,6}(?:\.\d{1,3})?)\s*(?<unit>[KMG]i?B|B)$/i;

/** `20MB` is 20 million bytes, `20MiB` 20 × 1024². */
export function parseSize(written: string): Result<number, string> {
  const groups = SIZE.exec(written)?.groups;
  if (groups)
    return ok(Math.floor(Number(groups['number']) * (BYTES_PER_UNIT[groups['unit']?.toUpperCase() ?? ''] ?? 1)));
  return err(`${JSON.stringify(written)} is not a size: write for example 20MB (B, KB, MB, GB, KiB, MiB, GiB)`);
}

/** A CIDR or a plain address, as it is written. */
export const network = () =>
  parsed((written) =>
    parseNetwork(written)
      ? ok(written)
      : err(`${JSON.stringify(written)} is not a CIDR: write for example 172.18.0.0/16`),
  );

export const isFilePath = (path: string): boolean => path.trim() !== '' && !path.includes('\0');

export const filePath = () =>
  text(isFilePath, 'is not a file path: write one, or remove the key').meta({ isFile: true });

const HEADER_NAME = /^[A-Za-z0-9-]+$/;

/** Lower-case: header names are compared without case (interface 5.5.3). */
export const headerName = () =>
  parsed((name) =>
    HEADER_NAME.test(name)
      ? ok(name.toLowerCase())
      : err(`${JSON.stringify(name)} is not a header name: use letters, digits and hyphens`),
  );

/** A header carries printable ASCII, and its ends are trimmed on the way: any other secret could never match. */
const SENDABLE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** Never shown in a message. A blank secret is refused: it would turn the check off. */
export const headerSecret = () =>
  checked(z.string(), (secret) => {
    if (secret.trim() === '') return BLANK_SECRET;
    return SENDABLE.test(secret) ? undefined : UNSENDABLE_SECRET;
  }).meta({ isSecret: true });

const BLANK_SECRET = 'is blank: write a secret ("openssl rand -hex 32" makes one), or remove the key';
const UNSENDABLE_SECRET =
  'cannot be sent in a header: use printable ASCII with no blank at either end ("openssl rand -hex 32" makes one)';

/** Whether the name means every camera: in a query `camera=all` does, so nothing may be called that. */
const isEveryCamera = (name: string): boolean => name.toLowerCase() === 'all';

export const cameraName = () =>
  parsed((name) =>
    isCameraEntry(name) && !name.includes('*') && !isEveryCamera(name)
      ? ok(name as CameraName)
      : err(
          `${JSON.stringify(name)} is not a camera name: use no comma or "*", slashes between other letters only, and not "all"`,
        ),
  );

/** A camera name, or a pattern of them with `*`. */
export const cameraEntry = () => checked(z.string(), parseCameraEntry);
