/** Writes the request of an exchange to its connection: the head as one text, and its body, which may stream. */

import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type Exchange, isLast } from './exchange.ts';
import { requestText } from './request-text.ts';

/** Gives the body that is under way, if one streams. Throws when the head cannot be written (see `requestText`). */
export function sendExchange(
  exchange: Exchange,
  socket: Socket,
  host: string,
  rules: Omit<UploadRules, 'length'>,
): Upload | undefined {
  const { head, body, upload } = exchange;
  const text = requestText(head, host, isLast(exchange));
  if (!body) socket.write(text, 'latin1');
  else {
    socket.cork();
    socket.write(text, 'latin1');
    socket.write(body);
    socket.uncork();
  }
  return upload && startUpload(upload.request, socket, { ...rules, length: upload.length });
}

/** The body of a request on its way to an upstream: streamed, with back-pressure, and framed as it was judged. */
interface UploadRules {
  /** Bytes of the body as its head says; undefined where it is sent in chunks. */
  readonly length: number | undefined;
  /** Something was sent, or the upstream took it. */
  readonly onProgress: () => void;
  readonly onEnd: () => void;
  /** The client sent more or less than it announced. */
  readonly onMismatch: () => void;
}

export interface Upload {
  /** What the upstream has not read by now is read and dropped, so that the client can read its response. */
  stop(): void;
}

function startUpload(request: IncomingMessage, socket: Socket, rules: UploadRules): Upload {
  const { length, onProgress, onEnd, onMismatch } = rules;
  let sent = 0;
  const send = length === undefined ? sendChunk : (bytes: Buffer) => socket.write(bytes);
  const onData = (bytes: Buffer): void => {
    sent += bytes.length;
    if (length !== undefined && sent > length) return void fail();
    if (bytes.length === 0) return;
    if (!send(bytes)) request.pause();
    onProgress();
  };
  const onDrain = (): void => {
    request.resume();
    onProgress();
  };
  const onWhole = (): void => {
    if (length !== undefined && sent !== length) return void fail();
    if (length === undefined) socket.write('0\r\n\r\n', 'latin1');
    detach();
    onEnd();
  };
  const detach = (): void => {
    request.off('data', onData).off('end', onWhole);
    socket.off('drain', onDrain);
  };
  const fail = (): void => {
    detach();
    onMismatch();
  };
  function sendChunk(bytes: Buffer): boolean {
    socket.cork();
    socket.write(`${bytes.length.toString(16)}\r\n`, 'latin1');
    socket.write(bytes);
    const isTaken = socket.write('\r\n', 'latin1');
    socket.uncork();
    return isTaken;
  }
  socket.on('drain', onDrain);
  request.on('data', onData).on('end', onWhole);
  request.resume();
  return {
    stop() {
      detach();
      request.resume();
    },
  };
}
