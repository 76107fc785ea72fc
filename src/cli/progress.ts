/** How far a long command is: a bar with rate and remaining time on a terminal, a line now and then elsewhere. */

export interface Screen {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

export interface ProgressOptions {
  readonly title: string;
  /** Undefined when nobody can know. */
  readonly total: number | undefined;
  readonly unit: 'bytes' | 'events';
}

export interface Progress {
  /** `done` is in the unit of `total`. */
  report(done: number, events: number): void;
  /** Clears the bar. */
  end(): void;
}

const BAR_MILLISECONDS = 100;
const LINE_MILLISECONDS = 5000;
const BAR_WIDTH = 24;

export function createProgress(screen: Screen, { title, total }: ProgressOptions): Progress {
  const begun = performance.now();
  const pause = screen.isTTY ? BAR_MILLISECONDS : LINE_MILLISECONDS;
  let shown = screen.isTTY ? Number.NEGATIVE_INFINITY : begun;

  return {
    report(done, events) {
      const now = performance.now();
      if (now - shown < pause) return;
      shown = now;
      const seconds = (now - begun) / 1000;
      const share = total ? Math.min(1, done / total) : undefined;
      const words = [`${title}: ${events} events`, `${Math.round(events / seconds)}/s`, ...remaining(share, seconds)];
      if (!screen.isTTY) screen.write(`${words.join(', ')}\n`);
      else screen.write(`\r\u001b[K${bar(share)}${words.join(', ')}`.slice(0, (screen.columns ?? 80) + 4));
    },
    end() {
      if (screen.isTTY) screen.write('\r\u001b[K');
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
