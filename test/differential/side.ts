/** One of two checkouts under comparison: its service as a process, in front of an NVR of its own that records. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { openConnection } from '../attacks/support/raw-connection.ts';
import { neutralPaths } from '../policy/support/rows.ts';
import { answerWithBoth } from '../policy/support/two-cameras.ts';
import { sendRaw } from '../policy/support/walk-instance.ts';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { type Serving, servePostern } from '../support/run-postern.ts';

export interface Question {
  /** The credential, by its name in `Seed`. */
  readonly caller: string;
  readonly method: string;
  readonly target: string;
  readonly body?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes of a whole request in the place of all that; placeholders are filled in for each side. */
  readonly raw?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: string;
  /** What reached the NVR, a text for each request. */
  readonly forwarded: readonly string[];
}

export interface Side {
  readonly url: string;
  ask(question: Question, credential: Readonly<Record<string, string>>, isInternal: boolean): Promise<Answer>;
  askRaw(bytes: string, isInternal: boolean): Promise<Answer>;
  end(): Promise<void>;
}

type Tree = { readonly [key: string]: unknown };

/** A copy of the seeded directory with this configuration; `nvr.url` is filled in. */
export async function startSide(checkout: string, seeded: string, config: Tree): Promise<Side> {
  const directory = mkdtempSync(join(tmpdir(), 'postern-differential-'));
  cpSync(seeded, directory, { recursive: true });
  const nvr = await startFakeNvr();
  nvr.answer = answerWithBoth(neutralPaths(), () => {});
  const nvrSection = { ...(config['nvr'] as object), url: nvr.url };
  writeFileSync(join(directory, 'config.yaml'), stringify({ ...config, nvr: nvrSection }));
  const serving = await servePostern({ main: join(checkout, 'bundle/main.js'), directory });
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  const ports = [serving.url, serving.internalUrl, serving.telemetryUrl, nvr.url].map((url) => new URL(url).port);
  // A port stands behind an address: a number in a list may have its digits by chance.
  const addresses = new RegExp(`(?<=(?:127\\.0\\.0\\.1|localhost)(?::|%3[Aa]))(?:${ports.join('|')})(?!\\d)`, 'g');
  const neutral = (text: string): string => text.replaceAll(addresses, 'PORT').replaceAll(directory, 'DIRECTORY');
  const answerOf = (status: number, headers: IncomingHttpHeaders, body: string): Answer => ({
    status,
    headers: Object.entries(headers)
      .map(([name, value]) => neutral(`${name}: ${String(value)}`))
      .sort(),
    body: neutral(body),
    forwarded: forwardedTo(nvr).map(neutral),
  });
  return {
    url: serving.url,
    async ask({ method, target, body, headers = {} }, credential, isInternal) {
      nvr.received.length = 0;
      const port = portOf(serving, isInternal);
      try {
        const answered = await sendRaw(port, agent, { method, target, body }, { ...credential, ...headers });
        return answerOf(answered.status, answered.headers, answered.body);
      } catch (error) {
        return answerOf(0, {}, error instanceof Error ? error.message : String(error));
      }
    },
    async askRaw(bytes, isInternal) {
      nvr.received.length = 0;
      const connection = await openConnection(portOf(serving, isInternal));
      await connection.send(bytes);
      await connection.settled();
      const [first] = connection.answers();
      const [, ...lines] = (first?.head ?? '').split('\r\n');
      const answer = answerOf(first?.status ?? 0, {}, first?.body ?? connection.text());
      connection.close();
      return { ...answer, headers: lines.map((line) => neutral(line.toLowerCase())).sort() };
    },
    async end() {
      agent.destroy();
      await serving.end('SIGKILL');
      await nvr.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

const portOf = (serving: Serving, isInternal: boolean): number =>
  Number(new URL(isInternal ? serving.internalUrl : serving.url).port);

/** The session secret of a directory, as the bytes that sign. */
export const signingKeyIn = (directory: string): Buffer =>
  Buffer.from(readFileSync(join(directory, '.jwt_secret'), 'utf8').trim(), 'hex');

const forwardedTo = ({ received }: FakeNvr): string[] =>
  received
    .splice(0)
    // Questions of Postern's own have no request id, and are answered from a cache for a while.
    .filter(({ headers }) => headers.some(([name]) => name === 'x-request-id'))
    .map(({ method, target, headers, body }) =>
      [`${method} ${target}`, ...headers.map(([name, value]) => `${name}: ${value}`).sort(), '', body].join('\n'),
    )
    .sort();
