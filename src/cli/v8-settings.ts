/** V8's settings while a service starts, and while it serves: a start runs once, so what it loads is not made fast. */
import v8 from 'node:v8';

/** Each with its value while a start runs, and V8's own. What V8 notes of functions that a start calls some ten times would be kept. */
const SETTINGS = [
  ['semi-space-growth-factor', '1', '2'],
  ['invocation-count-for-feedback-allocation', '64', '8'],
  ['sparkplug-filter', '~', '*'],
  ['maglev-filter', '~', '*'],
  ['turbo-filter', '~', '*'],
] as const;

/**
 * Compiling a start and a larger young generation would cost memory for nothing. To be called before the compile cache is
 * on, for V8 tells kept code by its flags.
 */
export function holdV8(): void {
  for (const [name, held] of SETTINGS) v8.setFlagsFromString(`--${name}=${held}`);
  // V8 would make objects of a place in the program in the old generation when many of them have lived long. A few requests that
  // took long are enough; then each request leaves all its objects there, until a full garbage collection.
  v8.setFlagsFromString('--no-allocation-site-pretenuring');
}

/**
 * What is hot is compiled from here on, and the young generation grows with its load, up to `--max-semi-space-size` of
 * package.json and Dockerfile. Their `--v8-pool-size=1` leaves one thread to compilers and garbage collection: with Node's four,
 * the event loop waits for a processor while a burst of requests makes it warm.
 * For the whole process, its threads too. To be called when everything is imported: V8 tells kept code by its flags.
 */
export function releaseV8(): void {
  for (const [name, , own] of SETTINGS) v8.setFlagsFromString(`--${name}=${own}`);
}
