/** Request bodies on their way to an upstream: streamed, and counted against `nvr.max_upload` (SPEC 1). */
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import type { UpstreamWatch } from '../decision/gate-watch.ts';

/**
 * The body of the request, as a stream of its own. What the upstream does not read is read and dropped: undici destroys
 * the body that it is given, which would take the client's connection with it before a response could be sent.
 */
export function openUpload(request: IncomingMessage): PassThrough {
  const upload = new PassThrough().on('error', () => {});
  upload.once('close', () => {
    request.unpipe(upload);
    request.resume();
  });
  return request.pipe(upload);
}

/** For a body without an announced length: its bytes are counted as they stream. `maxUpload` is in bytes. */
export function limitUpload(
  request: IncomingMessage,
  maxUpload: number,
  watch: UpstreamWatch | undefined,
  onTooLarge: () => void,
): void {
  let received = 0;
  // Not `on`: it starts the flow, and who sends the body on may begin to listen later.
  request.prependListener('data', (chunk: Buffer) => {
    received += chunk.length;
    watch?.onUploaded(chunk.length);
    if (received > maxUpload) onTooLarge();
  });
}
