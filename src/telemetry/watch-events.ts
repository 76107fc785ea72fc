/** Metrics of the events backend, served on its private socket; the gate adds them to its own (SPEC 9). */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { codeClassOf } from './code-labels.ts';
import { acceptedFormat, exposed } from './exposition.ts';
import { CODE_CLASSES } from './metric-labels.ts';
import { createCounter, createGauge, createHistogram } from './series.ts';

/** Upper ends of buckets, in seconds: a page of events, and a search through a million of them. */
const QUERY_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];
const NANOSECONDS = 1e9;
const LOOK_EVERY_MS = 20;

/** `ticks` gives milliseconds of a clock that only goes forward. */
export function watchEvents(handler: RequestListener, ticks: () => number): RequestListener {
  const code = ['code_class', CODE_CLASSES] as const;
  // biome-ignore format: a table
  const declared = {
    requests: createCounter('postern_events_requests_total', 'Requests that the events backend has answered.', [code]),
    duration: createHistogram('postern_events_request_duration_seconds', 'Time in which the events backend answered.', QUERY_SECONDS),
    lag:      createGauge('max', 'postern_events_eventloop_lag_p99_seconds', 'Event-loop delay of the events backend, since the last scrape.'),
    heap:     createGauge('sum', 'postern_events_heap_used_bytes', 'Memory that the events backend uses.'),
  };
  const delay = monitorEventLoopDelay({ resolution: LOOK_EVERY_MS });
  delay.enable();
  const tell = (request: IncomingMessage, response: ServerResponse): void => {
    declared.lag.set(Math.max(0, delay.percentile(99) / NANOSECONDS - LOOK_EVERY_MS / 1000));
    delay.reset();
    declared.heap.set(getHeapStatistics().used_heap_size);
    response.end(exposed(Object.values(declared), acceptedFormat(request.headers.accept)));
  };
  /** It lasts as long as a page is open, and says nothing of a query. */
  const isStream = (response: ServerResponse): boolean => response.getHeader('content-type') === 'text/event-stream';
  return (request, response) => {
    if (request.url === '/metrics') return tell(request, response);
    const since = ticks();
    response.once('close', () => {
      declared.requests.add(1, response.writableFinished ? codeClassOf(response.statusCode) : 'aborted');
      if (!isStream(response)) declared.duration.observe((ticks() - since) / 1000);
    });
    handler(request, response);
  };
}
