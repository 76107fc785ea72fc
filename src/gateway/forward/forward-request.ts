/** Plain requests: sent by Postern's own client; the response is streamed (SPEC 6). */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Upstream, wakeUp } from '../../domain/addresses/socket-address.ts';
import { limitUpload } from './body-limit.ts';
import type { ForwardRules, JudgedRequest } from './forwarder.ts';
import { createResponseHandler } from './response-handler.ts';
import { createUpstreamClient } from './upstream-client.ts';

export interface RequestForwarder {
  send(request: IncomingMessage, response: ServerResponse, upstream: Upstream, judged: JudgedRequest): void;
  close(): void;
}

export function createRequestForwarder(rules: ForwardRules): RequestForwarder {
  const client = createUpstreamClient(rules);
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
      const dispatch = (): void => client.dispatch({ upstream, request, response, judged, upload, handler });
      const waking = wakeUp(upstream);
      if (!waking) return dispatch();
      void waking.then(() => {
        if (!response.destroyed) dispatch();
      });
    },
    close: client.close,
  };
}
