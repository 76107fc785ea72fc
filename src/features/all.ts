/** The features of the service, in the order in which they are opened; `postern.yaml` and the commands follow it. */
import { backup } from './backup/index.ts';
import { doctor } from './doctor/index.ts';
import type { Feature } from './feature.ts';
import { ledger } from './ledger/index.ts';
import { notify } from './notify/index.ts';
import { policy } from './policy/index.ts';

export const FEATURES: readonly Feature[] = [notify, ledger, policy, backup, doctor];
