/** Writes the request of an exchange to its connection: the head as one text, and its body, which may stream. */
import type { Socket } from 'node:net';
import { type Exchange, isLast } from './exchange.ts';
import { requestText } from './request-text.ts';
import { startUpload, type Upload, type UploadRules } from './upload.ts';

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
