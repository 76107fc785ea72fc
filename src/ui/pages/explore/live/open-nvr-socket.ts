/** The NVR's WebSocket, as far as it tells of events: Postern passes the topics of the caller's own cameras (SPEC 5). */
import { getAutomatically } from '../../shared/api.ts';
import { baseUrl } from '../../shared/base-url.ts';
import { eventKind } from '../../shared/line-rules.ts';
import type { LineEvents, OpenLine } from './keep-line.ts';

/** The close code with which Postern says that the session is over. */
const CALLER_GONE = 4401;

/** An event that goes on is told several times a second. */
const BETWEEN_UPDATES_MILLISECONDS = 15_000;

export const openNvrSocket: OpenLine = (events) => {
  const url = new URL('ws', baseUrl);
  url.protocol = url.protocol.replace('http', 'ws');
  const socket = new WebSocket(url);
  let wasOpen = false;
  let isClosed = false;
  let toldAt = Number.NEGATIVE_INFINITY;
  socket.onopen = () => {
    wasOpen = true;
    events.onOpen();
    events.onChange(); // what happened before it was open
  };
  socket.onmessage = ({ data }) => {
    const kind = typeof data === 'string' ? eventKind(data) : undefined;
    if (kind === undefined) return;
    if (kind === 'update' && performance.now() - toldAt < BETWEEN_UPDATES_MILLISECONDS) return;
    toldAt = performance.now();
    events.onChange();
  };
  socket.onclose = ({ code }) => {
    if (!isClosed) void tellEnd(code, wasOpen, events, () => isClosed);
  };
  return () => {
    isClosed = true;
    socket.close();
  };
};

/** A browser does not tell why a WebSocket was refused: the profile does, which answers 200 or 401 and nothing else. */
async function tellEnd(code: number, wasOpen: boolean, { onEnd }: LineEvents, isClosed: () => boolean): Promise<void> {
  if (code === CALLER_GONE) return onEnd('login-needed');
  const response = wasOpen ? undefined : await getAutomatically('api/profile');
  if (!isClosed()) onEnd(response?.kind === 'login-needed' ? 'login-needed' : 'lost');
}
