/** Backup and restore: everything that must last, in one file (SPEC 15). */
import type { Feature } from '../feature.ts';
import { registerBackupCommands } from './command.ts';

export const backup: Feature = { name: 'backup', commands: registerBackupCommands };
