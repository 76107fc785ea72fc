/** The two files of a certificate: read together, and again when either changes, until they belong together (SPEC 1, `tls`). */
import { readFile } from 'node:fs/promises';
import { err, ok, type Result } from '../../domain/result.ts';
import { type WatchTiming, watchFiles } from '../../files/watch-files.ts';
import { type CertificatePair, type JudgedPair, judgePair } from './certificate-pair.ts';

export interface CertificateWatch {
  /** Good, but perhaps the one that was there before. */
  readonly onGood: (pair: JudgedPair) => void;
  /** A sentence with the file, once for each that lasts. */
  readonly onBad: (problem: string) => void;
}

/** Undefined when neither file is there. */
export async function readPair(files: CertificatePair): Promise<Result<JudgedPair | undefined, string>> {
  const [certificate, privateKey] = await Promise.all([textOf(files.certificate), textOf(files.privateKey)]);
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

async function textOf(file: string): Promise<Result<string | undefined, string>> {
  try {
    return ok(await readFile(file, 'utf8'));
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown fault';
    if (code === 'ENOENT') return ok(undefined);
    return err(`${file} cannot be read (${code}): make it readable for this user`);
  }
}
