/** The self-signed certificate on disk: kept where an operator's own would be, and renewed there near its end (SPEC 1, `tls`). */
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type CertificatePair, type JudgedPair, judgePair } from './certificate-pair.ts';
import { type CertificateSubject, makeSelfSigned } from './self-signed.ts';

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
