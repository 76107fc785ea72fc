/** Ports of the NVR's that are open where the public address leads: each goes round Postern. */
import { connect } from 'node:net';
import { hostInUrl } from '../../domain/socket-address.ts';
import type { OpenPort } from '../observations.ts';
import { send } from './send.ts';

export interface KnownPort {
  readonly port: number;
  readonly what: string;
  /** What is asked, and what an NVR's answer looks like. */
  readonly ask: 'rtsp' | { readonly protocol: 'http:' | 'https:'; readonly path: string; readonly isTold: RegExp };
}

// biome-ignore format: a table
export const NVR_PORTS: readonly KnownPort[] = [
  { port: 5000, what: 'the open port of the NVR: everybody is an admin there',    ask: { protocol: 'http:',  path: '/api/version', isTold: /^\d+\.\d+\.\d+/ } },
  { port: 1984, what: 'the stream server: every camera, and its passwords',       ask: { protocol: 'http:',  path: '/api/streams', isTold: /^\{/ } },
  { port: 8554, what: 'RTSP: every camera, without a login unless one is set',    ask: 'rtsp' },
];

const PATIENCE_MS = 2_000;

/** Nothing is changed by any question. */
export async function openPorts(host: string, ports: readonly KnownPort[]): Promise<readonly OpenPort[]> {
  const looked = await Promise.all(ports.map(async (known) => ({ known, isOpen: await responds(host, known) })));
  return looked.filter(({ isOpen }) => isOpen).map(({ known: { port, what } }) => ({ port, what }));
}

async function responds(host: string, { port, ask }: KnownPort): Promise<boolean> {
  if (ask === 'rtsp') return speaksRtsp(host, port);
  const url = new URL(ask.path, `${ask.protocol}//${hostInUrl(host)}:${port}`);
  const response = await send({ url, timeoutMs: PATIENCE_MS });
  return response.kind === 'answered' && response.status === 200 && ask.isTold.test(response.body.trim());
}

/** RFC 2326: a server answers OPTIONS to everybody. */
function speaksRtsp(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: PATIENCE_MS });
    const end = (speaks: boolean): void => {
      socket.destroy();
      resolve(speaks);
    };
    socket.once('connect', () => socket.write('OPTIONS * RTSP/1.0\r\nCSeq: 1\r\n\r\n'));
    socket.once('data', (bytes) => end(bytes.toString('latin1').startsWith('RTSP/1.0')));
    socket
      .once('timeout', () => end(false))
      .once('error', () => end(false))
      .once('close', () => end(false));
  });
}
