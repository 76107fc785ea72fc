/** V8's settings while a service starts, and while it serves: a start runs once, so what it loads is not made fast. */
import v8 from 'node:v8';

/**
 * Optimizing a start and a larger young generation would cost memory for nothing. To be called before the compile cache is
 * on, for V8 tells kept code by its flags.
 */
export function holdV8(): void {
  v8.setFlagsFromString('--semi-space-growth-factor=1');
  // V8 would make objects of a place in the program in the old generation when many of them have lived long. A few requests that
  // took long are enough; then each request leaves all its objects there, until a full garbage collection.
  v8.setFlagsFromString('--no-allocation-site-pretenuring');
  for (const compiler of ['maglev', 'turbo']) v8.setFlagsFromString(`--${compiler}-filter=~`);
}

/**
 * What is hot is optimized from here on, and the young generation grows with its load, up to `--max-semi-space-size` of
 * package.json and Dockerfile. Their `--v8-pool-size=1` leaves one thread to compilers and garbage collection: with Node's four,
 * the event loop waits for a processor while a burst of requests makes it warm.
 * For the whole process, its threads too. To be called when everything is imported: V8 tells kept code by its flags.
 */
export function releaseV8(): void {
  for (const compiler of ['maglev', 'turbo']) v8.setFlagsFromString(`--${compiler}-filter=*`);
  v8.setFlagsFromString('--semi-space-growth-factor=2');
}
