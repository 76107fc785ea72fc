/** The thread that reads one long configuration, hands on what it holds or what is wrong, and ends. */
import { parentPort, workerData } from 'node:worker_threads';
import { plainConfig } from '../config/read-beside.ts';
import { configSchema } from './resources/features.ts';

parentPort?.postMessage(await plainConfig({ ...workerData, schema: configSchema }));
