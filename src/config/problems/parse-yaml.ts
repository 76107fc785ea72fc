/** The thread that reads one long YAML text, its data, hands on what it holds or what is wrong, and ends. */
import { parentPort, workerData } from 'node:worker_threads';
import { parseYaml } from './read-yaml.ts';

parentPort?.postMessage(parseYaml(String(workerData)));
