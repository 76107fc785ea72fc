/** Waits for something that another process or socket brings about. */
import { setTimeout as delay } from 'node:timers/promises';

const PAUSE_MILLISECONDS = 10;
/** A busy machine starts a process in half a minute. */
const PATIENCE_MILLISECONDS = 90_000;

/** Asks again until it holds; fails with the sentence when it never does. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const givenUpAt = performance.now() + PATIENCE_MILLISECONDS;
  while (!(await holds())) {
    if (performance.now() > givenUpAt) throw new Error(`it never came that ${what}`);
    await delay(PAUSE_MILLISECONDS);
  }
}
