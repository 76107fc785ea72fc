/** `postern check`: reads the configuration and what it names as `serve` would, and prints every problem with its line (SPEC 1). */
import type { CommandGroup } from '../../accounts/http/route-commands.ts';

// biome-ignore format: a table
export const CHECK: CommandGroup = {
  commands: [
    { words: 'check', about: 'read the configuration as serve would, and print every problem with it',
      run: async (_, frame) => (await import('./check.ts')).runCheck(frame) },
  ],
};
