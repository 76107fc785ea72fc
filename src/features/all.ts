/** The features of the service, in the order in which they are opened; `postern.yaml` and the commands follow it. */
import { backup } from './backup/index.ts';
import { doctor } from './doctor/index.ts';
import type { Feature } from './feature.ts';
import { policy } from './policy/index.ts';

export const FEATURES: readonly Feature[] = [policy, backup, doctor];
