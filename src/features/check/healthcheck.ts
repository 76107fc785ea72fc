/**
 * `postern healthcheck`: is the server of this configuration alive? For images without a shell (SPEC 1). It runs every half
 * minute, so it loads nothing of the service: of the configuration it reads one key.
 */
import { connect } from 'node:net';
import { resolve } from 'node:path';
import { openConfigFile } from '../../config/config-file.ts';
import { layered } from '../../config/layers.ts';
import { formatProblems } from '../../config/problems/problems.ts';
import { readYaml } from '../../config/problems/read-yaml.ts';
import { parseListenAddress, serverDefaults } from '../../config/schema/addresses.ts';
import type { ListenAddress } from '../../domain/addresses.ts';
import { err, ok, type Result } from '../../domain/result.ts';

export interface HealthcheckPlace {
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stderr: { write(text: string): unknown };
}

const DEADLINE_MS = 3_000;
/** Bytes of an answer that are looked at. */
const LONGEST_HEAD = 1024;

/** The exit code: 0 when `/healthz` answers 200. */
export async function runHealthcheck(place: HealthcheckPlace): Promise<number> {
  const telemetry = await telemetryAddress(place);
  const complaint = telemetry.ok ? await findComplaint(telemetry.value) : telemetry.error;
  if (complaint === undefined) return 0;
  place.stderr.write(`${complaint}\n`);
  return 1;
}

/** Whether a server answers for this configuration; false without a telemetry listener. */
export const isAlive = async ({ server }: { readonly server: { readonly telemetry: Telemetry } }): Promise<boolean> =>
  (await findComplaint(server.telemetry)) === undefined;

type Telemetry = ListenAddress | false;

async function telemetryAddress({ directory, env }: HealthcheckPlace): Promise<Result<Telemetry, string>> {
  const opened = await openConfigFile(resolve(directory), 'read', env['POSTERN_FIRST_CONFIG']);
  if (!opened.ok) return err(opened.error);
  const { file, text } = opened.value;
  const yaml = readYaml(text);
  if (!yaml.ok) return err(formatProblems(file, yaml.error));
  const { tree } = layered(yaml.value.tree, env, { isSecret: () => false, meantVariable: () => undefined });
  const written: unknown = Object(Object(tree).server).telemetry ?? serverDefaults.telemetry;
  if (written === false) return ok(false);
  const address = parseListenAddress(String(written));
  return address.ok ? address : err(formatProblems(file, [{ path: 'server.telemetry', message: address.error }]));
}

const HEAD = /^HTTP\/1\.\d (?<status>\d{3})/;

/** Undefined when it answers 200. Without node:http: to load it takes longer than all the rest. */
function findComplaint(telemetry: Telemetry): Promise<string | undefined> {
  if (telemetry === false)
    return Promise.resolve('server.telemetry is false, so there is no /healthz to ask: set it to an address');
  const { host, port, path } = telemetry;
  const authority = path === undefined ? `${reachable(host)}:${port}` : 'localhost';
  const url = path === undefined ? `http://${authority}/healthz` : `/healthz of unix:${path}`;
  const silent = `${url} does not answer: the server is not running, or not with this configuration`;
  return new Promise((resolve) => {
    const socket = connect(path === undefined ? { host: reachable(host).replace(/^\[|\]$/g, ''), port } : { path });
    let head = '';
    const answer = (): void => {
      const status = HEAD.exec(head)?.groups?.['status'];
      resolve(status === '200' ? undefined : status === undefined ? silent : `${url} answered ${status}`);
    };
    socket.once('connect', () =>
      socket.write(`GET /healthz HTTP/1.1\r\nHost: ${authority}\r\nConnection: close\r\n\r\n`),
    );
    socket.on('data', (chunk: Buffer) => {
      head = (head + chunk.toString('latin1')).slice(0, LONGEST_HEAD);
      if (HEAD.test(head)) socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.once('close', answer);
    setTimeout(() => socket.destroy(), DEADLINE_MS).unref();
  });
}

/** A listener on every address is asked on loopback. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
