/** A stream that says something, is silent, and says its last: kept back, cut, or as it should be? */
import type { IncomingMessage } from 'node:http';
import { STREAM_END } from './marks.ts';
import type { StreamSeen } from './observations.ts';
import { open, type Probe } from './send.ts';

const SLACK_MS = 5_000;
/** A live picture that is so late does no harm: nginx with TLS holds back what does not fill its buffer, until the next frame. */
const MOST_DELAY_MS = 1000;

/** Undefined when it was not answered with 200. `silence`: seconds. */
export function readStream(probe: Probe, silence: number): Promise<StreamSeen | undefined> {
  return new Promise((resolve) => {
    const request = open(probe);
    const patience = setTimeout(() => request.destroy(), silence * 1000 + SLACK_MS);
    const end = (seen: StreamSeen | undefined): void => {
      clearTimeout(patience);
      request.destroy();
      resolve(seen);
    };
    let hasResponse = false;
    // From the question on: a proxy that keeps back the first bytes may keep back the head with them. By the clock: on a
    // busy machine bytes are read before a timer that was due earlier.
    const begin = performance.now();
    const mostDelay = Math.min(MOST_DELAY_MS, silence * 500);
    request.once('error', () => {
      if (!hasResponse) end(undefined);
    });
    request.once('response', (response) => {
      if (response.statusCode !== 200) return end(undefined);
      hasResponse = true;
      const encoding = response.headers['content-encoding'];
      let cameAtOnce = false;
      let firstAt: number | undefined;
      let said = '';
      response.on('data', (chunk: Buffer) => {
        firstAt ??= performance.now();
        cameAtOnce = firstAt - begin < mostDelay;
        said = (said + chunk.toString('latin1')).slice(-STREAM_END.length);
      });
      response.on('error', () => {});
      response.once('close', () => {
        // On a slow way the first bytes come late, but the silence behind them is as long as the server made it.
        cameAtOnce ||= firstAt !== undefined && performance.now() - firstAt > silence * 1000 - mostDelay;
        const took = (performance.now() - begin) / 1000;
        end({ cameAtOnce, wasWhole: isWhole(response, said), encoding, silence, took });
      });
    });
    request.end();
  });
}

/** Compressed it cannot be read, and the proxy that compressed it is told of anyway. */
const isWhole = ({ complete, headers }: IncomingMessage, said: string): boolean =>
  complete && (headers['content-encoding'] !== undefined || said === STREAM_END);
