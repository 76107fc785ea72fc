/** Plain requests: sent by Postern's own client or by undici; the response is streamed (SPEC 6). */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Upstream, wakeUp } from '../../domain/addresses/socket-address.ts';
import { limitUpload } from './body-limit.ts';
import type { ForwardRules, JudgedRequest } from './forwarder.ts';
import { createLazyClient } from './lazy-client.ts';
import { createOwnClient } from './own-client.ts';
import { createResponseHandler } from './response-handler.ts';

export interface RequestForwarder {
  send(request: IncomingMessage, response: ServerResponse, upstream: Upstream, judged: JudgedRequest): void;
  close(): void;
}

export function createRequestForwarder(rules: ForwardRules): RequestForwarder {
  // It costs some 30 MB of memory, and an NVR without TLS may never need it.
  const byUndici = createLazyClient(async () => (await import('./undici-client.ts')).createUndiciClient(rules));
  const own = createOwnClient(rules);
  return {
    send(request, response, upstream, judged) {
      const isChunked = judged.headers['transfer-encoding'] !== undefined;
      const length = Number(judged.headers['content-length'] ?? 0);
      if (length > rules.maxUpload) return judged.onFailure('body-too-large');
      const hasUpload = judged.body === undefined && (isChunked || length > 0);
      const upload = hasUpload ? { length: isChunked ? undefined : length } : undefined;
      const handler = createResponseHandler(response, judged, rules);
      if (hasUpload && isChunked)
        limitUpload(request, rules.maxUpload, judged.watch, () => handler.fail('body-too-large'));
      judged.watch?.onAsked();
      const client = rules.client === 'auto' && !judged.narrowing && isPlain(upstream) ? own : byUndici;
      const dispatch = (): void => client.dispatch({ upstream, request, response, judged, upload, handler });
      const waking = wakeUp(upstream);
      if (!waking) return dispatch();
      void waking.then(() => {
        if (!response.destroyed) dispatch();
      });
    },
    close() {
      own.close();
      byUndici.close();
    },
  };
}

const isPlain = (upstream: Upstream): boolean => upstream.kind === 'unix' || upstream.protocol === 'http:';
