/** An NVR as fast as Node gives it: small JSON, long bodies, streams of frames, WebSockets that echo. Prints its port. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { announce } from './announce.ts';
import { answerUpgrade } from './echo-frames.ts';

const JSON_BODY = JSON.stringify({ service: { version: '0.18.0', uptime: 100 }, cameras: { cam1: { fps: 5 } } });
const CHUNK = Buffer.alloc(64 * 1024, 'x');

const server = createServer((request, response) => {
  const { searchParams } = new URL(request.url ?? '/', 'http://upstream');
  if (searchParams.has('bytes')) return sendBody(response, Number(searchParams.get('bytes')));
  if (request.method === 'POST') return void swallow(request, response);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': JSON_BODY.length }).end(JSON_BODY);
});

function sendBody(response: ServerResponse, bytes: number): void {
  response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': bytes });
  let left = bytes;
  const send = (): void => {
    while (left > 0 && !response.destroyed) {
      const chunk = left >= CHUNK.length ? CHUNK : CHUNK.subarray(0, left);
      left -= chunk.length;
      if (!response.write(chunk)) return void response.once('drain', send);
    }
    response.end();
  };
  send();
}

function swallow(request: IncomingMessage, response: ServerResponse): void {
  request.resume().once('end', () => response.writeHead(200, { 'content-length': 0 }).end());
}

server.on('upgrade', answerUpgrade);
announce(server);
