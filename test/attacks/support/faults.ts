/** An NVR's faults, by the names that the vectors use. */
import { answerLikeAnNvr, type FakeNvr, type NvrAnswer } from '../../support/fake-nvr.ts';

type Fault = (nvr: FakeNvr) => void;

const bytes =
  (text: string, isOpen = false): Fault =>
  (nvr) => {
    nvr.rawAnswer = { bytes: text, isOpen };
  };

const OK = 'HTTP/1.1 200 OK\r\n';

/** `refused` is not here: no server listens then. */
// biome-ignore format: a table
export const FAULTS: Readonly<Record<string, Fault>> = {
  'close-mid-body':              bytes(`${OK}Content-Length: 100\r\n\r\nabc`),
  '101-unasked':                 bytes('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n', true),
  'status-message-control-char': bytes('HTTP/1.1 200 O\x01K\r\nContent-Length: 2\r\n\r\nok'),
  'status-099':                  bytes('HTTP/1.1 099 Odd\r\nContent-Length: 2\r\n\r\nok'),
  'trailer-with-content-length': bytes(`${OK}Trailer: x\r\nContent-Length: 2\r\n\r\nok`),
  'bad-chunk-after-good':        bytes(`${OK}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nZZ\r\nxyz\r\n`),
  'te-unknown':                  bytes(`${OK}Transfer-Encoding: cow\r\n\r\nabc`),
  'header-100KB':                bytes(`${OK}X-A: ${'a'.repeat(100_000)}\r\nContent-Length: 2\r\n\r\nok`),
  'cl-and-te':                   bytes(`${OK}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`),
  'set-remote-role':             bytes(`${OK}Remote-Role: admin\r\nX-Proxy-Secret: s\r\nConnection: X-S\r\nX-S: 1\r\nContent-Length: 2\r\n\r\n{}`),
  'hang':                        hang,
  'endless-body':                endlessBody,
  'refuse-ws-403-keepalive':     refuseUpgrades,
};

/** Lists are lists: what is not of its form is not passed on to who may see but a part of it. */
export const answerInForm: NvrAnswer = (request, response, received) => {
  if (!/^\/api\/events(?:\?|$)/.test(request.url ?? '')) return answerLikeAnNvr(request, response, received);
  response.writeHead(200, { 'content-type': 'application/json' }).end('[]');
};

export function behaveWell(nvr: FakeNvr): void {
  nvr.answer = answerInForm;
  nvr.rawAnswer = undefined;
  nvr.answerUpgrade = undefined;
}

function hang(nvr: FakeNvr): void {
  nvr.answer = () => {};
  nvr.answerUpgrade = (_request, socket) => {
    socket.on('error', () => {}).once('end', () => socket.destroy());
    socket.resume();
  };
}

function endlessBody(nvr: FakeNvr): void {
  nvr.answer = (_request, response) => {
    const chunk = Buffer.alloc(64 * 1024);
    const more = (): void => {
      while (!response.destroyed && response.write(chunk));
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  };
}

/** The connection stays open behind the refusal, and requests on it are read. */
function refuseUpgrades(nvr: FakeNvr): void {
  nvr.answerUpgrade = (_request, socket) => {
    socket.write('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n');
    socket
      .on('error', () => {})
      .on('data', (chunk: Buffer) => {
        const line = chunk.toString('latin1').split('\r\n', 1)[0] ?? '';
        const [method = '', target = ''] = line.split(' ');
        nvr.received.push({ method, target, headers: [], body: chunk.toString('latin1'), bodyBytes: chunk.length });
      });
    socket.once('end', () => socket.destroy());
  };
}
