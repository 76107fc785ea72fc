/** Chores of each hour. */

const HOUR_MS = 3_600_000;

/** Gives the way to end it. No chore keeps the process running. */
export function hourly(chore: () => unknown): () => void {
  const timer = setInterval(chore, HOUR_MS).unref();
  return () => clearInterval(timer);
}
