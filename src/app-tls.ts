/** The external listener's certificate: the operator's files, or one that is made at the first start and kept (SPEC 1, `tls`). */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { hostname, networkInterfaces } from 'node:os';
import { dirname } from 'node:path';
import type { Settings } from './config/schema.ts';
import type { Clock } from './domain/clock.ts';
import { makeSelfSigned } from './gateway/self-signed.ts';

export interface Certificate {
  /** PEM. */
  readonly certificate: string;
  readonly privateKey: string;
}

/** Undefined when `tls.enabled` is false. Rejects with a sentence when there is only half of a pair, or none can be kept. */
export async function openCertificate({ tls }: Settings, clock: Clock): Promise<Certificate | undefined> {
  if (!tls.enabled) return undefined;
  const [certificate, privateKey] = await Promise.all([readIfThere(tls.certificate), readIfThere(tls.private_key)]);
  if (certificate !== undefined && privateKey !== undefined) return { certificate, privateKey };
  if (certificate === undefined && privateKey === undefined) return makeAndKeep(tls, clock);
  const [there, missing] =
    certificate === undefined ? [tls.private_key, tls.certificate] : [tls.certificate, tls.private_key];
  throw new Error(`${there} is there and ${missing} is not: put both there, or neither to have a certificate made`);
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    throw new Error(`${file} cannot be read: make it readable for this user`, { cause });
  }
}

async function makeAndKeep(tls: Settings['tls'], clock: Clock): Promise<Certificate> {
  const made = await makeSelfSigned({ names: namesOfThisMachine(), now: clock.now() });
  try {
    await mkdir(dirname(tls.certificate), { recursive: true, mode: 0o700 });
    await mkdir(dirname(tls.private_key), { recursive: true, mode: 0o700 });
    await writeFile(tls.private_key, made.privateKey, { mode: 0o600, flag: 'wx' });
    await writeFile(tls.certificate, made.certificate, { flag: 'wx' });
  } catch (cause) {
    const step = 'make the directory writable, or name files of your own in tls.certificate and tls.private_key';
    throw new Error(`the certificate that was made cannot be kept in ${dirname(tls.certificate)}: ${step}`, { cause });
  }
  return made;
}

function namesOfThisMachine(): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
  const withoutZones = addresses.map((address) => address.replace(/%.*$/, ''));
  const host = hostname();
  const isName = /^[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(host);
  return [...new Set(['localhost', ...(isName ? [host, `${host}.local`] : []), '127.0.0.1', '::1', ...withoutZones])];
}
