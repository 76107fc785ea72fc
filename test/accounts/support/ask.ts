/** One HTTP request on a connection of its own, sent as it is written. */
import { type IncomingHttpHeaders, request } from 'node:http';

export interface Asked {
  readonly headers?: Readonly<Record<string, string>>;
  /** A string or bytes are sent as they are, anything else as JSON. */
  readonly body?: unknown;
}

export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body as JSON; undefined when it is empty. */
  readonly json: unknown;
}

export function ask(port: number, method: string, path: string, { headers = {}, body }: Asked = {}): Promise<Answered> {
  const bytes = body === undefined || typeof body === 'string' || body instanceof Buffer ? body : JSON.stringify(body);
  const json = bytes === undefined ? {} : { 'content-type': 'application/json' };
  const length = { 'content-length': String(Buffer.byteLength(bytes ?? '')) };
  return new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port,
      method,
      path,
      agent: false,
      headers: { ...json, ...length, ...headers },
    };
    const sent = request(options, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('error', reject).on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () =>
        resolve(answered(answer.statusCode ?? 0, answer.headers, Buffer.concat(chunks).toString())),
      );
    });
    sent.on('error', reject).end(bytes);
  });
}

const answered = (status: number, headers: IncomingHttpHeaders, text: string): Answered => {
  const isJson = headers['content-type']?.startsWith('application/json') && text !== '';
  return { status, headers, text, json: isJson ? JSON.parse(text) : undefined };
};
