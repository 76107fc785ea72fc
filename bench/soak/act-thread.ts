/** The thread in which a costly act is done, until it is ended. */
import { parentPort, workerData } from 'node:worker_threads';
import { type ActPlace, COSTLY_ACTS } from './costly-acts.ts';

const { name, place } = workerData as { readonly name: string; readonly place: ActPlace };
await COSTLY_ACTS.get(name)?.act(place, () => parentPort?.postMessage('begun'));
setInterval(() => {}, 60_000); // what is open stays open
