/** Waiting that ends when nobody waits for the outcome any more. */

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
