/** Waiting that ends when its time is over. */

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
