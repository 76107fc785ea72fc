/** A camera with a live stream, as the stream server of an NVR sends it: a moving picture that a page of the browser records. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Page } from 'playwright-core';
import { type WebSocket, WebSocketServer } from 'ws';

export interface LiveCamera {
  /** What players asked for, one for each connection. */
  readonly asked: string[];
  /** Connections that are open now. */
  readonly sockets: Set<WebSocket>;
  /** Answers the upgrade of a player. */
  accept(request: IncomingMessage, socket: Duplex): void;
  /** As the stream server refuses a stream that it does not have. */
  refuse(request: IncomingMessage, socket: Duplex): void;
}

/** The recorder's own form, which every Chromium plays: the stream server says which form it sends. */
const TYPE = 'video/webm;codecs=vp8';
const RECORD = `(() => {
  const canvas = Object.assign(document.createElement('canvas'), { width: 320, height: 180 });
  const pen = canvas.getContext('2d');
  let frame = 0;
  setInterval(() => {
    frame += 1;
    pen.fillStyle = 'hsl(' + (frame * 3) % 360 + ' 60% 40%)';
    pen.fillRect(0, 0, 320, 180);
    pen.fillStyle = '#fff';
    pen.fillRect((frame * 4) % 320, 80, 20, 20);
  }, 40);
  const recorder = new MediaRecorder(canvas.captureStream(25), { mimeType: '${TYPE}', videoBitsPerSecond: 100000 });
  recorder.ondataavailable = async ({ data }) => {
    const bytes = new Uint8Array(await data.arrayBuffer());
    await window.recorded(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  };
  recorder.start(200);
})()`;

/** Records for as long as the page is open. */
export async function startLiveCamera(page: Page): Promise<LiveCamera> {
  const server = new WebSocketServer({ noServer: true });
  const [sockets, asked] = [new Set<WebSocket>(), [] as string[]];
  let past = Buffer.alloc(0);
  await page.exposeFunction('recorded', (text: string) => {
    const piece = Buffer.from(text, 'latin1');
    past = Buffer.concat([past, piece]);
    for (const socket of sockets) socket.send(piece);
  });
  await page.evaluate(RECORD);
  const answer = (by: (player: WebSocket, question: string) => void) => (request: IncomingMessage, socket: Duplex) =>
    server.handleUpgrade(request, socket, Buffer.alloc(0), (player) =>
      player.once('message', (question) => by(player, String(question))),
    );
  return {
    asked,
    sockets,
    accept: answer((player, question) => {
      asked.push(question);
      player.send(JSON.stringify({ type: 'mse', value: TYPE }));
      if (past.length > 0) player.send(past);
      sockets.add(player);
      player.once('close', () => sockets.delete(player));
    }),
    refuse: answer((player) => player.send(JSON.stringify({ type: 'error', value: 'mse: stream not found' }))),
  };
}
