/** The telemetry listener: `/metrics`, `/healthz`, `/readyz`; it knows no identity (SPEC 2, 9). */
import { createServer, type Server, type ServerResponse } from 'node:http';
import { isInternalHost } from '../domain/addresses.ts';
import { refusalSentence } from '../domain/refusal.ts';
import { isReady, type Readiness } from './readiness.ts';

export interface TelemetryDeps {
  /** Gives all metrics as text. */
  readonly scrape: () => Promise<string>;
  readonly readiness: () => Promise<Readiness>;
  /** The service drains: new requests should go elsewhere. */
  readonly isStopping: () => boolean;
  /** `server.internal_hosts`: a page that a browser shows must not read this by a name of its own (DNS rebinding). */
  readonly hosts: () => readonly string[];
}

/** The text format of Prometheus. */
const EXPOSITION = 'text/plain; version=0.0.4; charset=utf-8';

/** Not listening yet. */
export function createTelemetryServer(deps: TelemetryDeps): Server {
  return createServer((request, response) => {
    const path = (request.url ?? '').split('?', 1)[0];
    if (!isInternalHost(request.headers.host ?? '', deps.hosts()))
      return sendJson(response, 403, { message: refusalSentence('host-unknown') });
    if (request.method !== 'GET' && request.method !== 'HEAD') return sendJson(response, 405, { message: 'Use GET.' });
    void respond(path, deps, response).catch(() => sendJson(response, 500, { message: 'Telemetry failed.' }));
  });
}

async function respond(path: string | undefined, deps: TelemetryDeps, response: ServerResponse): Promise<void> {
  switch (path) {
    case '/metrics': {
      const text = await deps.scrape();
      response.writeHead(200, { 'content-type': EXPOSITION, 'cache-control': 'no-store' }).end(text);
      return;
    }
    case '/healthz':
      sendJson(response, 200, { status: 'alive' });
      return;
    case '/readyz': {
      const readiness = await deps.readiness();
      const status = deps.isStopping() ? 'stopping' : isReady(readiness) ? 'ready' : 'not-ready';
      const told = Object.entries(readiness).map(([name, part]) => [name, { ...part, problem: undefined }]); // for pages
      sendJson(response, status === 'ready' ? 200 : 503, { status, ...Object.fromEntries(told) });
      return;
    }
    default:
      sendJson(response, 404, { message: 'There are /metrics, /healthz and /readyz here.' });
  }
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  if (response.headersSent) return;
  response
    .writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
    .end(JSON.stringify(body));
}
