/** The configuration that a running service reads again, where it is long beside the event loop: requests are served meanwhile. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { deserialize, serialize } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { CONFIG_NAMES } from './config-file.ts';
import { type ConfigPlace, type Origins, placedBy } from './load-config.ts';
import type { Schema } from './schema/schema.ts';
import { loadServiceConfig, type ServiceConfigOutcome } from './service-config.ts';

type Place = Pick<ConfigPlace, 'directory' | 'env' | 'stored' | 'whenMissing'>;

/** Bytes of a file that is read at once, in some twenty milliseconds. */
const SHORT = 32 * 1024;

/** What `loadServiceConfig` gives. `schema` has the keys of all features. */
export async function readServiceConfig(place: Place, schema: Schema): Promise<ServiceConfigOutcome> {
  if (!(await isLong(place.directory))) return loadServiceConfig({ ...place, schema: () => schema });
  const workerData = { ...place, env: { ...place.env } };
  const thread = new Worker(new URL('../app/config-worker.ts', import.meta.url), { workerData, execArgv: [] });
  const read = await new Promise<Plain>((resolve, reject) => {
    thread.once('message', resolve).once('messageerror', reject).once('error', reject);
    // Behind its message, if it has given one.
    thread.once('exit', () => reject(new Error('the thread that reads the configuration has ended: reload again')));
  });
  if (read.kind === 'invalid') return read;
  await setImmediate(); // other requests come first
  const origins = (): Origins => deserialize(read.origins);
  return { ...read, schema, origins, placed: placedBy(origins) };
}

async function isLong(directory: string): Promise<boolean> {
  const sizes = CONFIG_NAMES.map((name) =>
    stat(join(directory, name)).then(
      ({ size }) => size,
      () => 0,
    ),
  );
  return Math.max(...(await Promise.all(sizes))) > SHORT;
}

type Plain = Awaited<ReturnType<typeof plainConfig>>;

/** What a thread can hand on. Origins are packed: they are many, and are read where something is said of a key. */
export async function plainConfig(place: Parameters<typeof loadServiceConfig>[0]) {
  const read = await loadServiceConfig(place);
  if (read.kind === 'invalid') return read;
  const { schema: _, placed: __, origins, ...plain } = read;
  return { ...plain, origins: serialize(origins()) };
}
