/** When to stop: in good order at the first signal, at once at the second (SPEC 1). */
import { closeSync, openSync } from 'node:fs';
import { thrownBy } from '../domain/store/store-fault.ts';

/** What a shell shows of a process that a signal ended. */
const ENDED_BY = { SIGTERM: 128 + 15, SIGINT: 128 + 2 } as const;
/** A terminal's Ctrl-C reaches us twice when npm stands between, which passes on what it hears. */
const SAME_MS = 500;

/** Resolves with the first signal; the second ends the process. `isAtTerminal`: the terminal may be closed. */
export function stopSignal(isAtTerminal = false): Promise<void> {
  let heardAt: number | undefined;
  return new Promise((stop) => {
    for (const [signal, code] of Object.entries(ENDED_BY)) {
      process.on(signal, () => {
        heardAt ??= performance.now();
        if (performance.now() - heardAt > SAME_MS) process.exit(code);
        stop();
      });
    }
    // SIGHUP reloads the configuration. A terminal that closes sends it too, and then the process ends.
    if (isAtTerminal) process.on('SIGHUP', () => hasLostTerminal() && stop());
  });
}

const hasLostTerminal = (): boolean => thrownBy(() => closeSync(openSync('/dev/tty', 'r'))) !== undefined;
