/** Whether the proxy in front showed `proxy.auth_secret` in X-Proxy-Secret (interface 5.5.2). */
import { hash, timingSafeEqual } from 'node:crypto';
import { headerLines, type RequestFacts } from '../domain/request.ts';

/** Several secrets are for changing one without a gap. An empty text is no secret, and matches nothing. */
export function createProxySecretCheck(secrets: readonly string[]): (request: RequestFacts) => boolean {
  const accepted = secrets.filter((secret) => secret !== '').map((secret) => digestOf(Buffer.from(secret, 'utf8')));
  return (request) => {
    const [shown, ...others] = headerLines(request, 'x-proxy-secret');
    if (shown === undefined || others.length > 0) return false;
    // Header bytes come as Latin-1 text. Digests are of one length, and all are compared: the time tells nothing.
    const digest = digestOf(Buffer.from(shown, 'latin1'));
    return accepted.map((good) => timingSafeEqual(good, digest)).includes(true);
  };
}

const digestOf = (bytes: Buffer): Buffer => hash('sha256', bytes, 'buffer');
