/** A certificate for whoever has none: made at the first start, kept, and good for the names of this machine (SPEC 1, `tls`). */
import { isIP } from 'node:net';
import type { X509Certificate } from '@peculiar/x509';

export interface MadeCertificate {
  /** PEM. */
  readonly certificate: string;
  readonly privateKey: string;
}

export interface CertificateSubject {
  /** Host names and addresses by which the machine is reached. */
  readonly names: readonly string[];
  /** Unix milliseconds. */
  readonly now: number;
}

const DAY_MS = 86_400_000;
/** Browsers refuse longer ones, even those that a person has accepted by hand. */
const VALID_DAYS = 825;
const KEY = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

export async function makeSelfSigned({ names, now }: CertificateSubject): Promise<MadeCertificate> {
  // Twenty small packages that only a first start needs: every other start does without them.
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  const keys = await crypto.subtle.generateKey(KEY, true, ['sign', 'verify']);
  const certificate: X509Certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=Postern',
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
