/** Connections that say that something has changed, kept while the page is seen: a hidden tab has none (SPEC 8). */
import { parsedJson } from '../../../domain/json.ts';
import { AUTOMATIC, getAutomatically } from '../shared/api.ts';
import { baseUrl } from '../shared/browser.ts';
import { eventKind, pauseAfter } from '../shared/line-rules.ts';

/** `refused`: this role sees nothing of it, or there is no such thing. */
type LineEnd = 'lost' | 'refused' | 'login-needed';

/** `waiting`: it was lost, and is tried again. */
export type LineState = 'connecting' | 'open' | 'waiting' | 'refused' | 'login-needed';

interface LineEvents {
  readonly onOpen: () => void;
  /** `newest`: the id of the newest event, where the service tells it. */
  readonly onChange: (newest?: string | null) => void;
  /** Called at most once. */
  readonly onEnd: (end: LineEnd) => void;
}

/** Returns the function that closes it; `onEnd` is not called after that. */
type OpenLine = (events: LineEvents) => () => void;

/** Returns the function that ends it all. */
export function keepLine(
  open: OpenLine,
  { onState, onChange }: { readonly onState: (state: LineState) => void; readonly onChange: LineEvents['onChange'] },
): () => void {
  let close: (() => void) | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let tries = 0;
  const leave = (): void => {
    clearTimeout(timer);
    close?.();
    close = undefined;
  };
  const connect = (): void => {
    leave();
    let isOver = false;
    const onOpen = (): void => {
      tries = 0;
      onState('open');
    };
    const onEnd = (end: LineEnd): void => {
      isOver = true;
      close = undefined;
      tries += 1;
      onState(end === 'lost' ? 'waiting' : end);
      if (end === 'lost') timer = setTimeout(connect, pauseAfter(tries, Math.random()));
    };
    const closeThis = open({ onOpen, onChange, onEnd });
    if (!isOver) close = closeThis;
  };
  const onSight = (): void => {
    tries = 0;
    if (document.hidden) leave();
    else connect();
  };
  document.addEventListener('visibilitychange', onSight);
  addEventListener('online', onSight);
  onState('connecting');
  onSight();
  return () => {
    document.removeEventListener('visibilitychange', onSight);
    removeEventListener('online', onSight);
    leave();
  };
}

/** The service says something every 15 s: after so long the connection is dead, or a proxy in between holds it back. */
const SILENCE_MILLISECONDS = 45_000;

/** The stream of changes of Postern's events backend. By `fetch`, which tells why it is refused and can say that it is automatic. */
export const openStream =
  (path: string): OpenLine =>
  (events) => {
    const controller = new AbortController();
    let isClosed = false;
    void follow(path, controller, events).then((end) => {
      if (!isClosed) events.onEnd(end);
    });
    return () => {
      isClosed = true;
      controller.abort();
    };
  };

async function follow(path: string, controller: AbortController, events: LineEvents): Promise<LineEnd> {
  try {
    const response = await fetch(new URL(path, baseUrl), {
      headers: { Accept: 'text/event-stream', ...AUTOMATIC },
      redirect: 'manual',
      cache: 'no-store',
      signal: controller.signal,
    });
    const { status, type, body } = response;
    if (status === 401 || type === 'opaqueredirect') return 'login-needed';
    if (status === 403 || status === 404) return 'refused';
    if (!response.ok || !body) return 'lost';
    // A list instead of a stream: there is no camera to see.
    if (!response.headers.get('Content-Type')?.startsWith('text/event-stream')) return 'refused';
    events.onOpen();
    await read(body, controller, events);
  } catch {
    // Lost, or left.
  }
  return 'lost';
}

async function read(
  body: ReadableStream<Uint8Array>,
  controller: AbortController,
  { onChange }: LineEvents,
): Promise<void> {
  const decoder = new TextDecoder();
  let text = '';
  let timer = setTimeout(() => controller.abort(), SILENCE_MILLISECONDS);
  try {
    for (const reader = body.getReader(); ; ) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(() => controller.abort(), SILENCE_MILLISECONDS);
      const messages = (text + decoder.decode(value, { stream: true })).split('\n\n');
      text = messages.pop() ?? '';
      for (const message of messages) {
        const data = /^data: (.*)$/m.exec(message)?.[1];
        if (data !== undefined) onChange(newestIn(data));
      }
    }
  } finally {
    clearTimeout(timer);
  }
}

/** Undefined when it cannot be read: then the list is asked for. */
function newestIn(data: string): string | null | undefined {
  const { id } = Object(parsedJson(data));
  return typeof id === 'string' || id === null ? id : undefined;
}

/** The close code with which Postern says that the session is over. */
const CALLER_GONE = 4401;

/** An event that goes on is told several times a second. */
const BETWEEN_UPDATES_MILLISECONDS = 15_000;

/** The NVR's WebSocket, as far as it tells of events: Postern passes the topics of the caller's own cameras (SPEC 5). */
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
