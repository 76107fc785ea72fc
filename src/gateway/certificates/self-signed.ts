/** The self-signed certificate: made at the first start when none is configured, kept, good for the names of this machine (SPEC 1, `tls`). */
import { createPrivateKey, createPublicKey, type webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import type { X509Certificate } from '@peculiar/x509';

export interface CertificateSubject {
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
export const SELF_SIGNED_NAME = 'CN=Postern';
export const SELF_SIGNED_KEY = { openSslName: 'prime256v1' };

/** Both PEM. */
export async function makeSelfSigned(subject: CertificateSubject) {
  const { names, now, name = SELF_SIGNED_NAME, privateKey } = subject;
  // Twenty small packages that only a first start needs: every other start does without them.
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  const keys = await (privateKey === undefined ? crypto.subtle.generateKey(KEY, true, USES) : importKeys(privateKey));
  const certificate: X509Certificate = await x509.X509CertificateGenerator.createSelfSigned({
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

async function importKeys(pem: string): Promise<webcrypto.CryptoKeyPair> {
  const key = createPrivateKey(pem);
  const [pkcs8, spki] = [
    key.export({ type: 'pkcs8', format: 'der' }),
    createPublicKey(key).export({ type: 'spki', format: 'der' }),
  ];
  return {
    privateKey: await crypto.subtle.importKey('pkcs8', pkcs8, KEY, true, ['sign']),
    publicKey: await crypto.subtle.importKey('spki', spki, KEY, true, ['verify']),
  };
}
