/** Request bodies on their way to an upstream: streamed, and counted against `nvr.max_upload` (SPEC 1). */
import type { IncomingMessage } from 'node:http';
import type { UpstreamWatch } from '../decision/gate-watch.ts';

/** Counts the bytes of a body without an announced length as they stream. `maxUpload` is in bytes. */
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
