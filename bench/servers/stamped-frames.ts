/** Streams of frames, each with the moment it was sent: as Server-Sent Events or as MJPEG, like a camera's. */
import type { ServerResponse } from 'node:http';

/** All clocks of the machine count this alike, in every process. */
const stamp = (): string => process.hrtime.bigint().toString();

interface FrameKind {
  readonly type: string;
  readonly perSecond: number;
  frame(): string | Buffer;
}

const PICTURE = Buffer.alloc(40 * 1024, 0x2a);

const KINDS: Readonly<Record<string, FrameKind>> = {
  sse: { type: 'text/event-stream', perSecond: 20, frame: () => `data: ${stamp()}\n\n` },
  mjpeg: {
    type: 'multipart/x-mixed-replace; boundary=frame',
    perSecond: 10,
    frame: () =>
      Buffer.concat([
        Buffer.from(
          `--frame\r\nContent-Type: image/jpeg\r\nContent-Length: ${PICTURE.length}\r\nX-Sent: ${stamp()}\r\n\r\n`,
        ),
        PICTURE,
        Buffer.from('\r\n'),
      ]),
  },
};

export function sendFrames(response: ServerResponse, kind: string): void {
  const frames = KINDS[kind];
  if (frames === undefined) return void response.writeHead(404).end();
  response.writeHead(200, { 'content-type': frames.type });
  // Cameras do not send in step: each stream begins at a moment of its own.
  let timer: NodeJS.Timeout | undefined;
  const begin = setTimeout(
    () => {
      timer = setInterval(() => response.write(frames.frame()), 1000 / frames.perSecond);
    },
    Math.random() * (1000 / frames.perSecond),
  );
  response.once('close', () => {
    clearTimeout(begin);
    clearInterval(timer);
  });
}
