/** What every command of the command line works with: its output and its progress (SPEC 1). */

/** A terminal, or the stream in its place. */
export interface OutputStream {
  write(text: string, done?: (fault?: Error | null) => void): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

export interface Output {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly exit: (code: number) => void;
}

export interface ProgressOptions {
  readonly title: string;
  /** The number of bytes or events; undefined when it is unknown. */
  readonly total: number | undefined;
  /** What is counted; default: events. */
  readonly unit?: string;
}

const BAR_MILLISECONDS = 100;
const LINE_MILLISECONDS = 5000;
const BAR_WIDTH = 24;
const DEFAULT_COLUMNS = 80;
const CLEAR_LINE = '\r\u001b[K';

/** Progress of a long command: a bar with rate and remaining time on a terminal, a line from time to time elsewhere. */
export function createProgress(output: OutputStream, { title, total, unit = 'events' }: ProgressOptions) {
  const begun = performance.now();
  const pause = output.isTTY ? BAR_MILLISECONDS : LINE_MILLISECONDS;
  let shown = output.isTTY ? Number.NEGATIVE_INFINITY : begun;

  return {
    /** `done` counts what `total` counts. */
    report(done: number, events: number): void {
      const now = performance.now();
      if (now - shown < pause) return;
      shown = now;
      const seconds = (now - begun) / 1000;
      const share = total ? Math.min(1, done / total) : undefined;
      const words = [...remaining(share, seconds), `${events} ${unit}`, `${Math.round(events / seconds)}/s`].join(', ');
      if (!output.isTTY) output.write(`${title}: ${words}\n`);
      // The title stands last: it is what may be cut off.
      else
        output.write(CLEAR_LINE + `${bar(share)}${words} ${title}`.slice(0, (output.columns ?? DEFAULT_COLUMNS) - 1));
    },
    /** Clears the bar. */
    end(): void {
      if (output.isTTY) output.write(CLEAR_LINE);
    },
  };
}

function remaining(share: number | undefined, seconds: number): string[] {
  if (!share) return [];
  const left = Math.ceil((seconds / share) * (1 - share));
  const clock = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`;
  return [`${Math.floor(share * 100)} %`, `${clock} left`];
}

function bar(share: number | undefined): string {
  if (share === undefined) return '';
  const filled = Math.round(share * BAR_WIDTH);
  return `[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}] `;
}
