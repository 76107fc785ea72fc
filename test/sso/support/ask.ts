/** One request over a socket of its own, from an address of one's choice on the loopback network, with lines as given. */
import { type IncomingMessage, request } from 'node:http';
import { request as requestByTls } from 'node:https';

export interface Asked {
  readonly method?: string;
  readonly path?: string;
  /** A line each; `Host` is added when it is not among them. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** The address that the server sees: 127.0.0.1 unless told otherwise. */
  readonly from?: string;
  readonly body?: string;
  /** By HTTPS, with whatever certificate the server has; the name is that of `Host`. */
  readonly tls?: boolean;
}

export interface Answered {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

export function ask(port: number, asked: Asked = {}): Promise<Answered> {
  const { method = 'GET', path = '/', headers = [], from = '127.0.0.1', body, tls = false } = asked;
  const length: [string, string][] = body === undefined ? [] : [['Content-Length', String(Buffer.byteLength(body))]];
  const host: [string, string][] = headers.some(([name]) => name === 'Host') ? [] : [['Host', 'nvr.test']];
  const lines = [...host, ...headers, ...length].flat();
  const servername = lines[lines.indexOf('Host') + 1]?.split(':')[0];
  const place = { host: '127.0.0.1', port, localAddress: from, agent: false };
  const send = tls ? requestByTls : request;
  return new Promise((resolve, reject) => {
    const outgoing = send(
      { ...place, ...(tls && { servername, rejectUnauthorized: false }), method, path, headers: lines },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8');
        answer.on('data', (chunk: string) => {
          text += chunk;
        });
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
        answer.on('error', reject);
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
