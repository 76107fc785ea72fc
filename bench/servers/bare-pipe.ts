/**
 * The floor of forwarding: heads and bodies are passed on by Postern's own HTTP/1.1 client, and nothing is decided. Its argument is
 * the upstream.
 */
import { createServer } from 'node:http';
import { createConnectionPool } from '../../src/gateway/http1/connection-pool.ts';
import { NOTHING_BEGUN } from '../../src/gateway/http1/exchange.ts';
import type { ResponseControl } from '../../src/gateway/narrow/held-body.ts';
import { announce } from './announce.ts';

const { hostname, port } = new URL(process.argv[2] ?? '');
const pool = createConnectionPool(
  { kind: 'tcp', protocol: 'http:', host: hostname, port: Number(port) },
  { timeoutConnect: 5, timeoutResponse: 60, timeoutIdle: 60 },
  { servername: hostname, rejectUnauthorized: true },
);

announce(
  createServer((request, response) => {
    let control: ResponseControl = NOTHING_BEGUN;
    pool.dispatch({
      head: { method: request.method ?? 'GET', target: request.url ?? '/', headers: request.headers },
      isRepeatable: true,
      mayBorrow: false,
      onStart: (begun) => {
        control = begun;
      },
      onHead: ({ statusCode, headers }) => void response.writeHead(statusCode, headers),
      onBody(bytes) {
        if (response.write(Buffer.from(bytes))) return;
        control.pause();
        response.once('drain', () => control.resume());
      },
      onEnd: () => void response.end(),
      onError: () => void response.destroy(),
    });
    response.on('close', () => response.writableFinished || control.abort());
  }),
);
