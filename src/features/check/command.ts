/** `postern check`, whether a start would succeed, and `postern healthcheck`, whether the server is alive (SPEC 1). */
import type { CommandGroup } from '../../accounts/http/route-commands.ts';

// biome-ignore format: a table
export const CHECK: CommandGroup = {
  commands: [
    { words: 'check', about: 'read the configuration as serve would, and print every problem with it',
      run: async (_, frame) => (await import('./check.ts')).runCheck(frame) },
    { words: 'healthcheck', about: 'exit 0 when the running server says that it is alive',
      run: async (_, { place, stderr }) => (await import('./healthcheck.ts')).runHealthcheck({ ...place(), stderr }) },
  ],
};
