/** A server that answers as go2rtc did when its answers were captured, and records what arrived. */
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { WebSocketServer } from 'ws';
import { type FakeNvr, startFakeNvr } from '../../support/fake-nvr.ts';
import { PICTURES } from './cases.ts';

const captured = (name: string): Buffer => readFileSync(join(import.meta.dirname, '../../data/go2rtc', name));

const API = captured('api.json');
const STREAMS = captured('streams.json');
const STREAM = captured('stream.json');
const MASTER = captured('master.m3u8').toString();
const PLAYLIST = captured('playlist.m3u8').toString();
/** The session of the captured playlists. */
export const CAPTURED_ID = 'BrS0Gw67';

/** Each session that is opened has another id. */
export async function startFakeGo2rtc(): Promise<FakeNvr> {
  const nvr = await startFakeNvr();
  let sessions = 0;
  const newMaster = (): string => {
    sessions += 1;
    return MASTER.replace(CAPTURED_ID, `Session${sessions}`);
  };
  nvr.answer = (request, response) => answer(request, response, newMaster);
  const sockets = new WebSocketServer({ noServer: true });
  sockets.on('connection', (socket) =>
    socket.on('message', (data) => {
      const { type } = JSON.parse(String(data)) as { type: string };
      if (type === 'hls') socket.send(JSON.stringify({ type, value: newMaster() }));
      else if (type === 'mse') socket.send(Buffer.from('a picture'));
      else socket.send(JSON.stringify({ type: 'error', value: `${type}: exec:ffmpeg with a password` }));
    }),
  );
  nvr.answerUpgrade = (request, socket) =>
    sockets.handleUpgrade(request, socket, Buffer.alloc(0), (client) => sockets.emit('connection', client, request));
  return nvr;
}

function answer({ method, url = '' }: IncomingMessage, response: ServerResponse, newMaster: () => string): unknown {
  const { pathname, searchParams } = new URL(url, 'http://go2rtc');
  const send = (type: string, body: string | Buffer): unknown => response.setHeader('content-type', type).end(body);
  if (pathname === '/api') return send('application/json', API);
  if (pathname === '/api/streams' && method === 'GET')
    return send('application/json', searchParams.get('src') ? STREAM : STREAMS);
  if (searchParams.get('src') === 'mjpeg' && pathname === '/api/stream.ts')
    return response.writeHead(500).end('streams: unsupported scheme: nosuch://admin:geheim@10.0.0.5/x');
  if (PICTURES.some((path) => path === pathname) && method === 'GET' && !searchParams.get('src'))
    return response.writeHead(404).end('stream not found');
  if (pathname === '/api/frame.jpeg') return send('image/jpeg', Buffer.from([0xff, 0xd8]));
  if (pathname === '/api/stream.mp4') return send('video/mp4', 'ftyp');
  if (pathname === '/api/stream.m3u8') return send('application/vnd.apple.mpegurl', newMaster());
  if (pathname === '/api/hls/playlist.m3u8')
    return send('application/vnd.apple.mpegurl', PLAYLIST.replaceAll(CAPTURED_ID, searchParams.get('id') ?? ''));
  return send('application/octet-stream', `${method} ${url}`);
}
