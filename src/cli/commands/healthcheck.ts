/** `postern healthcheck`: is the server of this configuration alive? For images without a shell (SPEC 1). */
import { loadConfig } from '../../config/load-config.ts';
import { formatProblem } from '../../config/problems/problems.ts';
import type { Settings } from '../../config/schema/schema.ts';
import { hostInUrl } from '../../domain/addresses/socket-address.ts';

export interface HealthcheckPlace {
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stderr: { write(text: string): unknown };
}

const PATIENCE_MS = 3_000;

/** The exit code: 0 when `/healthz` answers 200. */
export async function runHealthcheck({ directory, env, stderr }: HealthcheckPlace): Promise<number> {
  const config = await loadConfig({ directory, env, whenMissing: 'read' });
  if (config.kind === 'invalid') {
    for (const problem of config.problems) stderr.write(`${formatProblem(config.file, problem)}\n`);
    return 1;
  }
  const { telemetry } = config.settings.server;
  if (telemetry === false) {
    stderr.write('server.telemetry is false, so there is no /healthz to ask: set it to an address\n');
    return 1;
  }
  const url = `http://${reachable(telemetry.host)}:${telemetry.port}/healthz`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) });
    if (response.ok) return 0;
    stderr.write(`${url} answered ${response.status}\n`);
  } catch {
    stderr.write(`${url} does not answer: the server is not running, or not with this configuration\n`);
  }
  return 1;
}

/** Whether a server answers for this configuration; false without a telemetry listener. */
export async function isAlive({ server: { telemetry } }: Settings): Promise<boolean> {
  if (telemetry === false) return false;
  const url = `http://${reachable(telemetry.host)}:${telemetry.port}/healthz`;
  const response = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) }).catch(() => undefined);
  return response?.ok === true;
}

/** A listener on every address is asked on loopback. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return hostInUrl(host);
}
