/** A certificate with its key, looked at before it is served: do they belong together, and until when are they good (SPEC 1, `tls`)? */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { err, ok, type Result } from '../../domain/result.ts';
import { SELF_SIGNED_KEY, SELF_SIGNED_NAME } from './self-signed.ts';

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
export function judgePair(pair: CertificatePair, files: CertificatePair): Result<JudgedPair, string> {
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
