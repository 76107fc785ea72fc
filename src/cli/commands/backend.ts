/** `postern backend`: only the events backend, on its own address, for running it on another machine (SPEC 1). */

import { type Command, InvalidArgumentError } from 'commander';
import type { Frame } from '../../accounts/http/route-commands.ts';
import { parseListenAddress } from '../../config/schema/addresses.ts';
import { hostInUrl, type ListenAddress } from '../../domain/addresses.ts';
import { faultMessage } from '../../domain/result.ts';
import { stopSignal } from '../stop-signal.ts';
import { releaseV8 } from '../v8-settings.ts';

/** Loopback, since every client that reaches it is believed. */
const DEFAULT_LISTEN = '127.0.0.1:5001';

export function registerBackendCommand(program: Command, frame: Frame): void {
  program
    .command('backend')
    .description('run the events backend alone; it trusts the headers remote-user and remote-role of every client')
    .option(
      '--listen <host:port>',
      'address to listen on; other than loopback only with nvr.auth_secret',
      listenAddress,
      listenAddress(DEFAULT_LISTEN),
    )
    .action(async ({ listen }: { listen: ListenAddress }) => frame.exit(await runBackend(listen, frame)));
}

async function runBackend(at: ListenAddress, { place, stdout, stderr }: Frame): Promise<number> {
  const { clock, ...where } = place();
  const { loadConfig } = await import('../../config/load-config.ts');
  const { formatProblem } = await import('../../config/problems/problems.ts');
  const { startBackend } = await import('../../app/commands/backend.ts');
  const config = await loadConfig(where);
  if (config.kind === 'invalid') {
    for (const problem of config.problems) stderr.write(`${formatProblem(config.file, problem)}\n`);
    return 1;
  }
  const { settings } = config;
  try {
    const backend = await startBackend({
      settings,
      at,
      clock,
      now: () => performance.now(),
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

function listenAddress(text: string): ListenAddress {
  const address = parseListenAddress(text);
  if (!address.ok) throw new InvalidArgumentError(`${address.error}.`);
  return address.value;
}
