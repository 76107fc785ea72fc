/** Questions that the gate itself asks an upstream: readiness, cameras, owners, version. */
import {
  type AgentOptions,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { type Upstream, wakeUp } from '../../domain/addresses/socket-address.ts';
import { tlsOptionsFor, type UpstreamTls } from './upstream-tls.ts';

export interface UpstreamQuestion {
  readonly upstream: Upstream;
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  /** Seconds for the whole response. */
  readonly timeout: number;
  readonly tls: UpstreamTls;
}

/** Questions under way at one NVR: each request of a client may need one before it is judged. Others wait. */
const MOST_QUESTIONS = 64;
/** Milliseconds that an unused connection is kept. */
const KEPT_MS = 5_000;
const KEPT: AgentOptions = { keepAlive: true, timeout: KEPT_MS, maxSockets: MOST_QUESTIONS, scheduling: 'fifo' };
const agents = { plain: new HttpAgent(KEPT), tls: new HttpsAgent(KEPT) };

/** An NVR's configuration is some hundred kilobytes. */
const LARGEST_RESPONSE = 32 * 1024 * 1024;

/** The parsed JSON of a 200, undefined of a 404. Rejects with the cause of any other outcome. */
export async function askJson(question: UpstreamQuestion): Promise<unknown> {
  const response = await ask(question);
  if (response.statusCode !== 200) {
    response.resume();
    if (response.statusCode === 404) return undefined;
    throw statusFault(question.path, response.statusCode);
  }
  return JSON.parse(await textOf(response));
}

/** The text of a 200. Rejects with the cause of any other outcome. */
export async function askText(question: UpstreamQuestion): Promise<string> {
  const response = await ask(question);
  if (response.statusCode === 200) return textOf(response);
  response.resume();
  throw statusFault(question.path, response.statusCode);
}

/** `status` tells an NVR that failed from one that cannot be reached. */
const statusFault = (path: string, status: number | undefined): Error =>
  Object.assign(new Error(`${path} was answered with status ${status}`), { status });

/** Resolves with the head of any response: its status proves that the upstream runs. */
export async function ask({ upstream, path, headers, timeout, tls }: UpstreamQuestion): Promise<IncomingMessage> {
  await wakeUp(upstream);
  const place = upstream.kind === 'tcp' ? { host: upstream.host, port: upstream.port } : { socketPath: upstream.path };
  const isTls = upstream.kind === 'tcp' && upstream.protocol === 'https:';
  const options = { ...place, path, headers, signal: AbortSignal.timeout(timeout * 1000) };
  return new Promise((resolve, reject) => {
    const request = isTls
      ? httpsRequest({ ...options, ...tlsOptionsFor(upstream, tls), agent: agents.tls })
      : httpRequest({ ...options, agent: agents.plain });
    request.once('response', resolve).once('error', reject).end();
  });
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    bytes += chunk.length;
    if (bytes > LARGEST_RESPONSE) throw new Error(`the response is larger than ${LARGEST_RESPONSE} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
