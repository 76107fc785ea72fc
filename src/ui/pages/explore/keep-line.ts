/** Connections that say that something has changed, kept while the page is seen (SPEC 8). */
import { parsedJson } from '../../../domain/json.ts';
import { AUTOMATIC, getAutomatically, whileSeen } from '../shared/api.ts';
import { baseUrl } from '../shared/browser.ts';
import { eventKind, pause, pauseAfter } from '../shared/line-rules.ts';

/** `refused`: this role sees nothing of it, or there is no such thing. */
type LineEnd = 'lost' | 'refused' | 'login-needed';

/** `waiting`: it was lost, and is tried again. */
export type LineState = 'connecting' | 'open' | 'waiting' | Exclude<LineEnd, 'lost'>;

/** `newest`: the id of the newest event, where the service tells it. */
type OnChange = (newest?: string | null) => void;

/** One connection, until it ends or is given up. It tells of a change first when it is open. */
type Line = (givenUp: AbortSignal, onChange: OnChange) => Promise<LineEnd>;

/** Returns the function that ends it all. */
export function keepLine(line: Line, onState: (state: LineState) => void, onChange: OnChange): () => void {
  onState('connecting');
  return whileSeen(async (left) => {
    // The browser may need long to see that a connection is dead. It begins anew when the network is back.
    let isTried = true;
    addEventListener('offline', () => isTried && onState('waiting'), { signal: left });
    for (let tries = 0; !left.aborted; ) {
      const end = await line(left, (newest) => {
        tries = 0;
        // Without a network the service of the same machine still answers.
        onState('open');
        onChange(newest);
      });
      if (left.aborted) return;
      isTried = end === 'lost';
      onState(end === 'lost' ? 'waiting' : end);
      if (end !== 'lost') return;
      tries += 1;
      await pause(pauseAfter(tries, Math.random()));
    }
  });
}

/** The service says something every 15 s: after so long the connection is dead, or a proxy in between holds it back. */
const SILENCE_MILLISECONDS = 45_000;

/** The stream of changes of Postern's events backend. By `fetch`, which tells why it is refused and can say that it is automatic. */
export const changesAt =
  (path: string): Line =>
  async (givenUp, onChange) => {
    const silent = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      const response = await fetch(new URL(path, baseUrl), {
        headers: { Accept: 'text/event-stream', ...AUTOMATIC },
        redirect: 'manual',
        cache: 'no-store',
        signal: AbortSignal.any([givenUp, silent.signal]),
      });
      const { status, type, body } = response;
      if (status === 401 || type === 'opaqueredirect') return 'login-needed';
      if (status === 403 || status === 404) return 'refused';
      if (!response.ok || !body) return 'lost';
      // A list instead of a stream: there is no camera to see.
      if (!response.headers.get('Content-Type')?.startsWith('text/event-stream')) return 'refused';
      const reader = body.pipeThrough(new TextDecoderStream()).getReader();
      for (let text = ''; ; ) {
        timer = setTimeout(() => silent.abort(), SILENCE_MILLISECONDS);
        const { done, value = '' } = await reader.read();
        clearTimeout(timer);
        if (done) break;
        const messages = (text + value).split('\n\n');
        text = messages.pop() ?? '';
        for (const message of messages) {
          const data = /^data: (.*)$/m.exec(message)?.[1];
          const { id } = Object(parsedJson(data ?? ''));
          // One that cannot be read is undefined: then the list is asked for.
          if (data !== undefined) onChange(typeof id === 'string' || id === null ? id : undefined);
        }
      }
    } catch {
      // Lost, or given up.
    }
    clearTimeout(timer);
    return 'lost';
  };

/** The close code with which Postern says that the session is over. */
const CALLER_GONE = 4401;

/** An event that goes on is told several times a second. */
const BETWEEN_UPDATES_MILLISECONDS = 15_000;

/** The NVR's WebSocket, as far as it tells of events: Postern passes the topics of the caller's own cameras (SPEC 5). */
export const nvrSocket: Line = async (givenUp, onChange) => {
  const url = new URL('ws', baseUrl);
  url.protocol = url.protocol.replace('http', 'ws');
  const socket = new WebSocket(url);
  givenUp.addEventListener('abort', () => socket.close());
  let wasOpen = false;
  let toldAt = Number.NEGATIVE_INFINITY;
  socket.onopen = () => {
    wasOpen = true;
    onChange(); // what happened before it was open
  };
  socket.onmessage = ({ data }) => {
    const kind = typeof data === 'string' ? eventKind(data) : undefined;
    if (kind === undefined) return;
    if (kind === 'update' && performance.now() - toldAt < BETWEEN_UPDATES_MILLISECONDS) return;
    toldAt = performance.now();
    onChange();
  };
  const { code } = await new Promise<CloseEvent>((closed) => {
    socket.onclose = closed;
  });
  if (code === CALLER_GONE) return 'login-needed';
  // A browser does not tell why a WebSocket was refused: the profile does, which answers 200 or 401 and nothing else.
  const response = wasOpen || givenUp.aborted ? undefined : await getAutomatically('api/profile');
  return response?.kind === 'login-needed' ? 'login-needed' : 'lost';
};
