/** Writes down the input that is being judged when it takes too long, and ends the process: an endless loop lets nothing else do so. */
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { writeFound } from './corpus.ts';

/** What both threads see: which input is being judged, and its bytes. */
interface Watched {
  readonly target: string;
  /** Number of the input; its length. */
  readonly numbers: Int32Array;
  readonly bytes: Uint8Array;
}

export interface Watchdog {
  /** This input is judged from now on. */
  begin(input: Uint8Array): void;
  /** Nothing is judged. */
  rest(): void;
  close(): Promise<void>;
}

const LOOK_MS = 1_000;
/** Of the processor, not of the clock: on a busy machine any input may wait. */
const MOST_MICROSECONDS = 5_000_000;
const RESTING = -1;

export function watchFor(target: string, longest: number): Watchdog {
  const numbers = new Int32Array(new SharedArrayBuffer(8));
  const bytes = new Uint8Array(new SharedArrayBuffer(longest));
  const workerData: Watched = { target, numbers, bytes };
  const worker = new Worker(import.meta.filename, { workerData, execArgv: [] });
  worker.unref();
  return {
    begin(input) {
      bytes.set(input);
      numbers[1] = input.length;
      numbers[0] = ((numbers[0] ?? 0) + 1) & 0x3fffffff;
    },
    rest() {
      numbers[1] = RESTING;
    },
    close: async () => void (await worker.terminate()),
  };
}

function watch({ target, numbers, bytes }: Watched): void {
  let last = -1;
  let spentBefore = 0;
  const spent = (): number => process.cpuUsage().user;
  setInterval(() => {
    const [number = 0, length = 0] = numbers;
    if (number !== last || length === RESTING) {
      last = number;
      spentBefore = spent();
    } else if (spent() - spentBefore > MOST_MICROSECONDS) {
      const file = writeFound(target, Buffer.from(bytes.subarray(0, length)));
      process.stderr.write(`\n${target}: an input takes longer than ${MOST_MICROSECONDS / 1e6} s: ${file}\n`);
      process.kill(process.pid, 'SIGKILL');
    }
  }, LOOK_MS);
}

if (!isMainThread) watch(workerData as Watched);
