/** Postern behind a proxy of the test's own, and what doctor says of it. */

import { openForCommands } from '../../../../src/app/commands.ts';
import { configSchema } from '../../../../src/app/resources/features.ts';
import type { Report } from '../../../../src/features/doctor/cause.ts';
import { doctorAt } from '../../../../src/features/doctor/run-doctor.ts';
import { providerFaults } from '../../../../src/features/oidc/providers.ts';
import type { StartedProxy } from '../../../sso/support/proxies.ts';
import { freePort } from '../../../support/servers/free-port.ts';
import { type ConfigTree, type Runtime, startInstance } from '../../../support/start-instance.ts';

export interface Patient {
  readonly instance: Runtime;
  /** `host:port` of Postern. */
  readonly postern: string;
  close(): Promise<void>;
}

/** `base`: beside what each has, a proxy on loopback that is trusted. */
export async function startPatient(config: ConfigTree = {}): Promise<Patient> {
  const auth = { trusted_proxies: ['127.0.0.1'], ...(config['auth'] as object) };
  const instance = await startInstance({ config: { ...config, auth } });
  return { instance, postern: `127.0.0.1:${instance.port}`, close: () => instance.close() };
}

export interface Examined {
  readonly path?: string;
  readonly scheme?: 'http' | 'https';
  readonly ca?: string;
  /** Seconds. */
  readonly silence?: number;
  readonly host?: string;
}

export async function examined(
  { instance }: Patient,
  port: number,
  { path = '/', scheme = 'http', ca, silence = 1, host = '127.0.0.1' }: Examined = {},
): Promise<Report> {
  const { clock, directory } = instance;
  const url = new URL(`${scheme}://${host}:${port}${path}`);
  const place = { directory, schema: configSchema, env: {}, clock };
  const frame = { place: () => place, openStore: () => openForCommands(place, 'change'), faults: providerFaults };
  return await doctorAt(frame, { url, headers: {}, ca, silence });
}

/** The proxy started by `start`, looked at, and gone again. */
export async function examinedBehind(
  patient: Patient,
  start: (port: number) => Promise<StartedProxy>,
  how?: Examined,
): Promise<Report> {
  const port = await freePort();
  const proxy = await start(port);
  try {
    return await examined(patient, port, how);
  } finally {
    await proxy.close();
  }
}

/** The faults found, without advice. */
export const namesOf = (report: Report): readonly string[] =>
  report.findings.filter(({ level }) => level !== 'advice').map(({ name }) => name);

export const adviceOf = ({ findings }: Report): readonly string[] =>
  findings.filter(({ level }) => level === 'advice').map(({ name }) => name);
