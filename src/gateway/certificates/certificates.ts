/** The two files of a certificate: read together, and again when either changes, until they belong together (SPEC 1, `tls`). */

import { createPrivateKey, createPublicKey, type KeyObject, type webcrypto, X509Certificate } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { dirname } from 'node:path';
import { createSecureContext } from 'node:tls';
import type { X509Certificate as MadeCertificate } from '@peculiar/x509';
import type { Services } from '../../app/services.ts';
import { missingTlsFiles } from '../../config/named-files.ts';
import { formatProblems } from '../../config/problems/problems.ts';
import type { ServiceConfig } from '../../config/service-config.ts';
import { type Clock, hourly } from '../../domain/clock.ts';
import { attempt, err, ok, type Result } from '../../domain/result.ts';
import { readIfThere } from '../../files/files.ts';
import { watchRead } from '../../files/watch-files.ts';

/** Undefined when neither file is there. */
export async function readPair(files: CertificatePair): Promise<Result<JudgedPair | undefined, string>> {
  const read = (file: string) => readIfThere(file, 'make it readable for this user');
  const [certificate, privateKey] = await Promise.all([read(files.certificate), read(files.privateKey)]);
  if (!certificate.ok) return certificate;
  if (!privateKey.ok) return privateKey;
  if (certificate.value !== undefined && privateKey.value !== undefined) {
    return judgePair({ certificate: certificate.value, privateKey: privateKey.value }, files);
  }
  if (certificate.value === privateKey.value) return ok(undefined);
  const [there, missing] =
    certificate.value === undefined ? [files.privateKey, files.certificate] : [files.certificate, files.privateKey];
  return err(`${there} is there and ${missing} is not: provide both, or neither to have a certificate created`);
}

/** Two files are never replaced at once: for so long they may not belong together. */
const SETTLING_MS = 10_000;

/** Calls back with a good pair, and with each sentence of a bad one, until the function that is returned is called. */
export const watchPair = (
  files: CertificatePair,
  on: Parameters<typeof watchRead<JudgedPair>>[2],
  timing: Parameters<typeof watchRead<JudgedPair>>[3] = { settlingMs: SETTLING_MS },
): (() => void) =>
  watchRead(
    [files.certificate, files.privateKey],
    async () => {
      const read = await readPair(files);
      if (!read.ok) return read;
      return read.value ? ok(read.value) : err(`${files.certificate} and ${files.privateKey} are gone: put them back`);
    },
    on,
    timing,
  );

/** Both PEM. */
export interface CertificatePair {
  readonly certificate: string;
  readonly privateKey: string;
}

interface JudgedPair extends CertificatePair {
  /** Unix milliseconds. */
  readonly expiresAt: number;
  /** Made by this service, and so its to renew. */
  readonly isOurs: boolean;
}

/** `files` are where the two come from, to be named in what is wrong with them. */
function judgePair(pair: CertificatePair, files: CertificatePair): Result<JudgedPair, string> {
  const leaf = attempt(() => new X509Certificate(pair.certificate));
  if (!leaf)
    return err(
      `${files.certificate} is not a certificate in PEM: write the chain there, the server's own certificate first`,
    );
  const key = attempt(() => createPrivateKey(pair.privateKey));
  if (!key) return err(`${files.privateKey} is not a private key in PEM: write the key there, without a passphrase`);
  if (!leaf.checkPrivateKey(key)) {
    return err(`${files.privateKey} is not the key of ${files.certificate}: provide a certificate and its own key`);
  }
  const isServable = attempt(() => createSecureContext({ cert: pair.certificate, key: pair.privateKey })) !== undefined;
  if (!isServable) return err(`${files.certificate} cannot be served: its chain is broken, or its key too short`);
  return ok({ ...pair, expiresAt: leaf.validToDate.getTime(), isOurs: isOurs(leaf, key) });
}

const isOurs = (leaf: X509Certificate, key: KeyObject): boolean =>
  leaf.subject === SELF_SIGNED_NAME &&
  leaf.issuer === SELF_SIGNED_NAME &&
  key.asymmetricKeyDetails?.namedCurve === SELF_SIGNED_KEY.openSslName;

/** The self-signed certificate on disk: kept where an operator's own would be, and renewed there near its end (SPEC 1, `tls`). */
const RENEWED_BEFORE_END_MS = 30 * 86_400_000;

/** Rejects with a sentence when it cannot be kept. */
async function makeAndKeep(files: CertificatePair, subject: CertificateSubject): Promise<JudgedPair> {
  const made = await makeSelfSigned(subject);
  try {
    await mkdir(dirname(files.certificate), { recursive: true, mode: 0o700 });
    await mkdir(dirname(files.privateKey), { recursive: true, mode: 0o700 });
    await writeFile(files.privateKey, made.privateKey, { mode: 0o600, flag: 'wx' });
    await writeFile(files.certificate, made.certificate, { flag: 'wx' });
  } catch (cause) {
    const step = 'make the directory writable, or name files of your own in tls.certificate and tls.private_key';
    throw new Error(`the created certificate cannot be stored in ${dirname(files.certificate)}: ${step}`, {
      cause,
    });
  }
  return judged(made, files);
}

/** The key stays, so that one file is replaced, and at once: there is no moment in which the two do not belong together. */
async function renew(
  { privateKey }: CertificatePair,
  files: CertificatePair,
  subject: CertificateSubject,
): Promise<JudgedPair> {
  const { certificate } = await makeSelfSigned({ ...subject, privateKey });
  await writeFile(`${files.certificate}.new`, certificate);
  await rename(`${files.certificate}.new`, files.certificate);
  return judged({ certificate, privateKey }, files);
}

function judged(pair: CertificatePair, files: CertificatePair): JudgedPair {
  const verdict = judgePair(pair, files);
  if (!verdict.ok) throw new Error(verdict.error);
  return verdict.value;
}

/**
 * What is served: read from the operator's files, or made and renewed here (SPEC 1, `tls`). Undefined when `tls.enabled` is
 * false. Rejects with a sentence when what is there cannot be served, or nothing can be kept.
 */
export async function openCertificates(config: ServiceConfig, clock: Clock, log: Services['log']) {
  const { tls } = config.settings;
  if (!tls.enabled) return undefined;
  const missing = await missingTlsFiles(config);
  if (missing.length > 0) throw new Error(formatProblems(config.file, missing));
  const files = { certificate: tls.certificate, privateKey: tls.private_key };
  const read = await readPair(files);
  if (!read.ok) throw new Error(read.error);
  let pair = read.value ?? (await makeAndKeep(files, thisMachine(clock)));
  let refused: string | undefined;
  /** `hstsSeconds`: of `Strict-Transport-Security`; undefined: the header is not sent. */
  const current = () => ({ ...pair, hstsSeconds: pair.isOurs ? undefined : tls.hsts });
  const uses: ((certificate: ReturnType<typeof current>) => void)[] = [];
  const hasEnded = ({ expiresAt }: JudgedPair): boolean => expiresAt <= clock.now();
  const serve = (next: JudgedPair, message: string): void => {
    pair = next;
    for (const use of uses) use(current());
    log.info({ file: files.certificate, expires: dayOf(pair) }, message);
  };
  const refuse = (problem: string): void => {
    refused = problem;
    log.error(`${problem}; the previous certificate stays in use`);
  };
  const renewNearEnd = async (): Promise<void> => {
    if (!pair.isOurs || pair.expiresAt - clock.now() >= RENEWED_BEFORE_END_MS) return;
    try {
      serve(await renew(pair, files, thisMachine(clock)), 'the self-signed certificate was renewed');
    } catch (cause) {
      const step = 'make the file and its directory writable for this user';
      log.error({ err: cause }, `${files.certificate} ends on ${dayOf(pair)} and cannot be renewed: ${step}`);
    }
  };
  await renewNearEnd();
  if (hasEnded(pair))
    log.warn(`${files.certificate} ended on ${dayOf(pair)} and browsers refuse it: put a valid certificate there`);
  const stop = watchPair(files, {
    onGood(found) {
      const isServed = found.certificate === pair.certificate && found.privateKey === pair.privateKey;
      if (!isServed && hasEnded(found))
        return refuse(`${files.certificate} ended on ${dayOf(found)}: put a valid certificate there`);
      refused = undefined;
      if (!isServed) serve(found, 'a new certificate is served');
    },
    onBad: refuse,
  });
  const stopRenewing = hourly(renewNearEnd);
  return {
    current,
    /** Calls back with every later certificate. */
    onChange: (use: (certificate: ReturnType<typeof current>) => void): void => void uses.push(use),
    /** Why the files as they are now are not served; undefined when they are. */
    problem: (): string | undefined => refused,
    close(): void {
      stopRenewing();
      stop();
    },
  };
}

const dayOf = ({ expiresAt }: JudgedPair): string => new Date(expiresAt).toISOString().slice(0, 10);

function thisMachine(clock: Clock): CertificateSubject {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
  const withoutZones = addresses.map((address) => address.replace(/%.*$/, ''));
  const host = hostname();
  const isName = /^[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(host);
  const names = ['localhost', ...(isName ? [host, `${host}.local`] : []), '127.0.0.1', '::1', ...withoutZones];
  return { names: [...new Set(names)], now: clock.now() };
}

interface CertificateSubject {
  /** Host names and addresses by which the machine is reached. */
  readonly names: readonly string[];
  /** Unix milliseconds. */
  readonly now: number;
  /** Default: the name by which this service knows its own again. */
  readonly name?: string;
  /** PEM, of the certificate to be renewed: clients that pinned the key accept the new one. */
  readonly privateKey?: string;
}

const DAY_MS = 86_400_000;
/** Browsers refuse longer validity, even for a certificate that was accepted by hand. */
const VALID_DAYS = 825;
const KEY = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** What tells such a certificate from an operator's own. */
const SELF_SIGNED_NAME = 'CN=Postern';
const SELF_SIGNED_KEY = { openSslName: 'prime256v1' };

/** Both PEM. */
export async function makeSelfSigned(subject: CertificateSubject) {
  const { names, now, name = SELF_SIGNED_NAME, privateKey } = subject;
  // Twenty small packages that only a first start needs: every other start does without them.
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  const keys = privateKey === undefined ? await crypto.subtle.generateKey(KEY, true, USES) : readKeys(privateKey);
  const certificate: MadeCertificate = await x509.X509CertificateGenerator.createSelfSigned({
    name,
    notBefore: new Date(now - DAY_MS), // clocks of clients are late
    notAfter: new Date(now + VALID_DAYS * DAY_MS),
    signingAlgorithm: KEY,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(
        names.map((value) => ({ type: isIP(value) ? 'ip' : 'dns', value }) as const),
      ),
    ],
  });
  const exported = await crypto.subtle.exportKey('pkcs8', keys.privateKey);
  return {
    certificate: `${certificate.toString('pem')}\n`,
    privateKey: `${x509.PemConverter.encode(exported, 'PRIVATE KEY')}\n`,
  };
}

const USES = ['sign', 'verify'] as const;

function readKeys(pem: string): webcrypto.CryptoKeyPair {
  const key = createPrivateKey(pem);
  return {
    privateKey: key.toCryptoKey(KEY, true, ['sign']),
    publicKey: createPublicKey(key).toCryptoKey(KEY, true, ['verify']),
  };
}
