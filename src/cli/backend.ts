/** `postern backend`: only the events backend, on its own address, for running it on another machine (SPEC 1). */
import type { Frame } from '../accounts/http/route-commands.ts';
import { loadConfig } from '../config/load-config.ts';
import { formatProblems } from '../config/problems/problems.ts';
import { hostInUrl, type ListenAddress } from '../domain/addresses.ts';
import { steadyNow } from '../domain/clock.ts';
import { faultMessage } from '../domain/result.ts';
import { startBackend } from '../events/standalone.ts';
import { stopSignal } from './stop-signal.ts';
import { releaseV8 } from './v8-settings.ts';

/** Resolves with the exit code. */
export async function runBackend(at: ListenAddress, { place, stdout, stderr }: Frame): Promise<number> {
  const { clock, ...where } = place();
  const config = await loadConfig(where);
  if (config.kind === 'invalid') {
    stderr.write(`${formatProblems(config.file, config.problems)}\n`);
    return 1;
  }
  const { settings } = config;
  try {
    const backend = await startBackend({
      settings,
      at,
      clock,
      now: steadyNow,
      onFault: (fault, what = 'a request could not be answered') => stderr.write(`${what}: ${faultMessage(fault)}\n`),
    });
    releaseV8();
    const { host, port } = backend.address;
    const believes =
      settings.nvr.auth_secret === undefined ? 'every client that reaches it' : 'clients that send nvr.auth_secret';
    stdout.write(`The events backend listens on http://${hostInUrl(host)}:${port} and believes ${believes}.\n`);
    await stopSignal();
    await backend.close();
    return 0;
  } catch (fault) {
    stderr.write(`The events backend did not start: ${faultMessage(fault)}\n`);
    return 1;
  }
}
