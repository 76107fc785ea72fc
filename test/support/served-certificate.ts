/** Certificates for tests of the TLS listener: self-signed, made once for each test file. */
import { makeSelfSigned } from '../../src/gateway/certificates/certificates.ts';
import type { ServedCertificate, ServedCertificates } from '../../src/gateway/listen/tls-server.ts';

const names = ['localhost', '127.0.0.1'];

export const makeServed = async (hstsSeconds?: number): Promise<ServedCertificate> => ({
  ...(await makeSelfSigned({ names, now: Date.now() })),
  hstsSeconds,
});

export interface ChangingCertificate extends ServedCertificates {
  change(next: ServedCertificate): void;
}

export function changing(first: ServedCertificate): ChangingCertificate {
  let current = first;
  const uses: ((certificate: ServedCertificate) => void)[] = [];
  return {
    current: () => current,
    onChange: (use) => void uses.push(use),
    change(next) {
      current = next;
      for (const use of uses) use(next);
    },
  };
}
