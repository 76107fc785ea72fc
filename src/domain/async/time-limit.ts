/** Waiting that ends when its time is over, or when nobody waits for the outcome any more. */

/** What `waited` becomes, or what `late` gives or throws after so many milliseconds: then nothing comes of `waited`. */
export async function withTimeLimit<Value, Late>(
  waited: Promise<Value>,
  milliseconds: number,
  late: () => Late,
): Promise<Value | Late> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, milliseconds);
  try {
    return await Promise.race([waited, over.promise.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}

/** Rejects with the signal's reason as soon as it is aborted; what `waited` becomes is then nobody's concern. */
export async function unlessAborted<Value>(waited: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (!signal) return waited;
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([waited, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
