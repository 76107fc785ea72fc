/** The two files of a certificate: read together, and again when either changes, until they belong together (SPEC 1, `tls`). */

import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { hostname, networkInterfaces } from 'node:os';
import { dirname } from 'node:path';
import { createSecureContext } from 'node:tls';
import type { Services } from '../../app/services.ts';
import { missingTlsFiles } from '../../config/named-files.ts';
import { formatProblems } from '../../config/problems/problems.ts';
import type { ServiceConfig } from '../../config/service-config.ts';
import { type Clock, hourly } from '../../domain/clock.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import { watchRead } from '../../files/watch-files.ts';
import { type CertificateSubject, makeSelfSigned, SELF_SIGNED_KEY, SELF_SIGNED_NAME } from './self-signed.ts';

/** Undefined when neither file is there. */
export async function readPair(files: CertificatePair): Promise<Result<JudgedPair | undefined, string>> {
  const [certificate, privateKey] = await Promise.all([readPem(files.certificate), readPem(files.privateKey)]);
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

async function readPem(file: string): Promise<Result<string | undefined, string>> {
  try {
    return ok(await readFile(file, 'utf8'));
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown fault';
    if (code === 'ENOENT') return ok(undefined);
    return err(`${file} cannot be read (${code}): make it readable for this user`);
  }
}

/** Both PEM. */
export interface CertificatePair {
  readonly certificate: string;
  readonly privateKey: string;
}

export interface JudgedPair extends CertificatePair {
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

/** Node throws for whatever is not what it should be. */
function attempt<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** The self-signed certificate on disk: kept where an operator's own would be, and renewed there near its end (SPEC 1, `tls`). */
const RENEWED_BEFORE_END_MS = 30 * 86_400_000;

export const isNearEnd = ({ isOurs, expiresAt }: JudgedPair, now: number): boolean =>
  isOurs && expiresAt - now < RENEWED_BEFORE_END_MS;

/** Rejects with a sentence when it cannot be kept. */
export async function makeAndKeep(files: CertificatePair, subject: CertificateSubject): Promise<JudgedPair> {
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
export async function renew(
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

/** What is served: read from the operator's files, or made and renewed here (SPEC 1, `tls`). */
interface ServedCertificate extends CertificatePair {
  /** Seconds of `Strict-Transport-Security`; undefined: the header is not sent. */
  readonly hstsSeconds: number | undefined;
}

export interface Certificates {
  current(): ServedCertificate;
  /** Calls back with every later certificate. */
  onChange(use: (certificate: ServedCertificate) => void): void;
  /** Why the files as they are now are not served; undefined when they are. */
  problem(): string | undefined;
  close(): void;
}

const STAYS = 'the previous certificate stays in use';

/** Undefined when `tls.enabled` is false. Rejects with a sentence when what is there cannot be served, or nothing can be kept. */
export async function openCertificates(
  config: ServiceConfig,
  clock: Clock,
  log: Services['log'],
): Promise<Certificates | undefined> {
  const { tls } = config.settings;
  if (!tls.enabled) return undefined;
  const missing = await missingTlsFiles(config);
  if (missing.length > 0) throw new Error(formatProblems(config.file, missing));
  const files = { certificate: tls.certificate, privateKey: tls.private_key };
  const read = await readPair(files);
  if (!read.ok) throw new Error(read.error);
  const first = read.value ?? (await makeAndKeep(files, thisMachine(clock)));
  const runtime: ServedPair = { files, serving: createServing(first, tls.hsts), clock, log };
  await renewNearEnd(runtime);
  const { serving } = runtime;
  if (serving.pair().expiresAt <= clock.now()) {
    log.warn(
      `${files.certificate} ended on ${dayOf(serving.pair())} and browsers refuse it: put a valid certificate there`,
    );
  }
  let refused: string | undefined;
  const stop = watchPair(files, {
    onGood(pair) {
      refused = serveWhatIsThere(pair, runtime);
    },
    onBad(problem) {
      refused = problem;
      log.error(`${problem}; ${STAYS}`);
    },
  });
  const stopRenewing = hourly(() => renewNearEnd(runtime));
  return {
    current: serving.current,
    onChange: serving.onChange,
    problem: () => refused,
    close() {
      stopRenewing();
      stop();
    },
  };
}

interface ServedPair {
  readonly files: CertificatePair;
  readonly serving: ReturnType<typeof createServing>;
  readonly clock: Clock;
  readonly log: Services['log'];
}

/** The pair that is served now, and those to be told of the next. */
function createServing(first: JudgedPair, hstsSeconds: number) {
  let pair = first;
  const uses: ((certificate: ServedCertificate) => void)[] = [];
  const current = (): ServedCertificate => ({ ...pair, hstsSeconds: pair.isOurs ? undefined : hstsSeconds });
  return {
    pair: () => pair,
    current,
    onChange: (use: (certificate: ServedCertificate) => void): void => void uses.push(use),
    serve(next: JudgedPair): void {
      pair = next;
      for (const use of uses) use(current());
    },
  };
}

/** Gives why it is not served. */
function serveWhatIsThere(pair: JudgedPair, { files, serving, clock, log }: ServedPair): string | undefined {
  const { certificate, privateKey } = serving.pair();
  if (pair.certificate === certificate && pair.privateKey === privateKey) return undefined;
  if (pair.expiresAt <= clock.now()) {
    const problem = `${files.certificate} ended on ${dayOf(pair)}: put a valid certificate there`;
    log.error(`${problem}; ${STAYS}`);
    return problem;
  }
  serving.serve(pair);
  log.info({ file: files.certificate, expires: dayOf(pair) }, 'a new certificate is served');
  return undefined;
}

async function renewNearEnd({ files, serving, clock, log }: ServedPair): Promise<void> {
  const pair = serving.pair();
  if (!isNearEnd(pair, clock.now())) return;
  try {
    serving.serve(await renew(pair, files, thisMachine(clock)));
    log.info({ file: files.certificate, expires: dayOf(serving.pair()) }, 'the self-signed certificate was renewed');
  } catch (cause) {
    const step = 'make the file and its directory writable for this user';
    log.error({ err: cause }, `${files.certificate} ends on ${dayOf(pair)} and cannot be renewed: ${step}`);
  }
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
