/** The certificate of the public address, as a browser judges it. */
import { isIP } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { messageOf } from '../../domain/message-of.ts';
import type { TlsSeen } from '../observations.ts';

/** Undefined when there is no TLS there: the first probe says why. `ca`: PEM of an authority that is to be believed too. */
export function lookAtTls(url: URL, ca: string | undefined, timeoutMs: number): Promise<TlsSeen | undefined> {
  if (url.protocol !== 'https:') return Promise.resolve(undefined);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const socket = connect({
      host,
      port: Number(url.port) || 443,
      ...(isIP(host) ? {} : { servername: host }),
      ...(ca === undefined ? {} : { ca }),
      rejectUnauthorized: false,
      ALPNProtocols: ['h2', 'http/1.1'],
    });
    // For the whole handshake: a peer that sends a byte now and then is not waited for.
    const timer = setTimeout(() => end(undefined), timeoutMs);
    const end = (seen: TlsSeen | undefined): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(seen);
    };
    socket.once('secureConnect', () => end(judged(socket)));
    socket.once('error', () => end(undefined));
  });
}

function judged(socket: TLSSocket): TlsSeen {
  const { valid_to, fingerprint256 } = socket.getPeerCertificate();
  const fault = socket.authorizationError;
  return {
    fault: fault ? messageOf(fault) : undefined,
    endsAt: Date.parse(valid_to) / 1000,
    certificate: fingerprint256,
    offersHttp2: socket.alpnProtocol === 'h2',
  };
}
