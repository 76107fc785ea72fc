/** The stream of changes of Postern's events backend. By `fetch`, which tells why it is refused and can say that it is automatic. */
import { parsedJson } from '../../../../domain/json.ts';
import { AUTOMATIC } from '../../shared/api.ts';
import { baseUrl } from '../../shared/base-url.ts';
import type { LineEnd, LineEvents, OpenLine } from './keep-line.ts';

/** The service says something every 15 s: after so long the connection is dead, or a proxy in between holds it back. */
const SILENCE_MILLISECONDS = 45_000;

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
