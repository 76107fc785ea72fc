/** An upgrade that is answered in ordinary HTTP: by the NVR with another status than 101, or by a refusal (SPEC 6). */
import { type IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http';
import { type Duplex, pipeline } from 'node:stream';
import { tellHead } from '../decision/gate-watch.ts';
import { passError, readsErrorText } from '../narrow/error-text.ts';
import { isRedirect, passRedirect, redirectFault } from '../narrow/pass-redirect.ts';
import type { OwnResponse } from '../response/error-responses.ts';
import { type ResponseHead, responseFault, responseHeaders } from '../response/response-headers.ts';
import type { UpgradeExchange } from './upgrade-exchange.ts';

/** One head on a connection: what breaks behind it cuts the connection, so that a cut response never looks whole. */
export function passUpgradeResponse(
  response: IncomingMessage,
  request: IncomingMessage,
  socket: Duplex,
  exchange: UpgradeExchange,
  cookieName: string,
): void {
  const head: ResponseHead = { statusCode: response.statusCode, headers: response.headersDistinct };
  tellHead(exchange.judged, response.statusCode ?? 0);
  response.on('error', () => {});
  const fault = responseFault(head);
  if (fault) {
    response.destroy();
    exchange.fail(fault);
    return;
  }
  const reader = exchange.judged.errorReader?.();
  const isLed = reader !== undefined && reader.clearance !== 'admin' && isRedirect(response.statusCode ?? 0);
  const redirect = isLed ? redirectFault(head, reader) : undefined;
  if (redirect) {
    response.destroy();
    exchange.fail(redirect);
    return;
  }
  if (socket.destroyed) return void response.destroy();
  exchange.hasHead = true;
  const out = new ServerResponse(request);
  out.shouldKeepAlive = false; // whatever is pipelined behind the upgrade is never read
  out.sendDate = false;
  out.assignSocket(socket as Parameters<ServerResponse['assignSocket']>[0]);
  const rules = { cookieName, isPublic: false, place: exchange.judged.place };
  if (isLed) {
    out.once('finish', () => socket.end());
    response.destroy();
    passRedirect(head, out, rules);
    return;
  }
  if (reader && !readsErrorText(reader, response.statusCode ?? 502)) {
    const fail = (): void => {
      out.detachSocket(socket as Parameters<ServerResponse['detachSocket']>[0]);
      exchange.hasHead = out.headersSent;
      exchange.fail('nvr-failed');
    };
    out.once('finish', () => socket.end());
    void passError({ ...head, body: response }, out, rules, fail, reader).catch(fail);
    return;
  }
  out.writeHead(response.statusCode ?? 502, responseHeaders(head, rules));
  out.flushHeaders();
  pipeline(response, out, (fault) => {
    if (fault) socket.destroy();
    else socket.end();
  });
}

/** Refuses an upgrade in ordinary HTTP and closes: whatever is pipelined behind it is never read. */
export function refuseUpgrade(socket: Duplex, response: OwnResponse, requestId: string): void {
  if (socket.destroyed) return;
  const headers = {
    ...response.headers,
    'content-length': String(Buffer.byteLength(response.body)),
    'x-request-id': requestId,
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const head = [`HTTP/1.1 ${response.status} ${STATUS_CODES[response.status] ?? ''}`, ...lines].join('\r\n');
  socket.end(`${head}\r\n\r\n${response.body}`);
}
