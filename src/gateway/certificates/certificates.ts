/** The two files of a certificate: read together, and again when either changes, until they belong together (SPEC 1, `tls`). */

import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createSecureContext } from 'node:tls';
import { err, ok, type Result } from '../../domain/result.ts';
import { type WatchTiming, watchFiles } from '../../files/watch-files.ts';
import { type CertificateSubject, makeSelfSigned, SELF_SIGNED_KEY, SELF_SIGNED_NAME } from './self-signed.ts';

export interface CertificateWatch {
  /** Good, but perhaps the one that was there before. */
  readonly onGood: (pair: JudgedPair) => void;
  /** A sentence with the file, once for each that lasts. */
  readonly onBad: (problem: string) => void;
}

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

export interface CertificateTiming {
  readonly watch?: WatchTiming;
  /** Two files are never replaced at once: for so long they may not belong together. */
  readonly settlingMs: number;
}

const TIMING: CertificateTiming = { settlingMs: 10_000 };

/** Reads both files again when either changes. Returns the function that stops it. */
export function watchPair(files: CertificatePair, watch: CertificateWatch, timing = TIMING): () => void {
  let timer: NodeJS.Timeout | undefined;
  let lastProblem: string | undefined;
  let isStopped = false;
  const readAgain = async (hasSettled: boolean): Promise<void> => {
    clearTimeout(timer);
    const read = await readPair(files);
    if (isStopped) return;
    if (read.ok && read.value) {
      lastProblem = undefined;
      return watch.onGood(read.value);
    }
    const problem = read.ok ? `${files.certificate} and ${files.privateKey} are gone: put them back` : read.error;
    if (!hasSettled) timer = setTimeout(() => void readAgain(true), timing.settlingMs).unref();
    else if (problem !== lastProblem) watch.onBad(problem);
    if (hasSettled) lastProblem = problem;
  };
  const onChange = (): void => void readAgain(false);
  const watching = watchFiles(onChange, timing.watch);
  // The files may have changed between the caller's reading and the moment from which they are watched.
  void watching.watch([files.certificate, files.privateKey]).then(onChange);
  return () => {
    isStopped = true;
    clearTimeout(timer);
    watching.close();
  };
}

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
