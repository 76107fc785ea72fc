/** Walks through all events stand in line: whoever asks for little waits for one window of one walk, however many there are. */

/** Resolves when it is one's turn, with the way out. */
export type ScanQueue = () => Promise<() => void>;

export function createScanQueue(): ScanQueue {
  let last: Promise<void> = Promise.resolve();
  return async () => {
    const before = last;
    const { promise, resolve } = Promise.withResolvers<void>();
    last = promise;
    await before;
    return resolve;
  };
}
