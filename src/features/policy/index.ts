/** Tools for route tables: what an NVR has and its table does not know, and a first table (SPEC 15, 20). */
import type { Feature } from '../feature.ts';
import { registerPolicyCommands } from './command.ts';

export const policy: Feature = { name: 'policy', commands: registerPolicyCommands };
