/** The recipes of docs/sso as values, and an instance behind the proxy of one. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { parse } from 'yaml';
import { type FakeNvr, startFakeNvr } from '../../support/fake-nvr.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { type ConfigTree, type Runtime, startInstance } from '../../support/start-instance.ts';
import { ask } from './ask.ts';
import type { StartedProxy } from './proxies.ts';

export type Line = readonly [name: string, value: string];

export const ROOT = join(import.meta.dirname, '../../..');
const SECRET = 'the-secret-of-the-proxy';

export interface Recipe {
  /** The file for the proxy. */
  readonly proxy: string;
  /** Every block before Postern's part, in order: what is pasted elsewhere. */
  readonly pasted: readonly { readonly language: string; readonly body: string }[];
  /** Postern's configuration. */
  readonly config: ConfigTree;
  readonly configText: string;
  /** The arguments of `postern explain`. */
  readonly check: readonly string[];
  /** Lines that the check must print. */
  readonly expected: readonly string[];
  /** The allowlist, where it is not the default one. */
  readonly list: string | undefined;
}

export function recipe(file: string): Recipe {
  const text = readFileSync(join(ROOT, 'docs/sso', file), 'utf8');
  const blocks = [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', body = '']) => ({
    language,
    body,
  }));
  const configText = text.split('## Postern')[1]?.match(/^```yaml\n(.*?)^```$/ms)?.[1] ?? '';
  const command = blocks.find(({ language }) => language === 'sh')?.body ?? '';
  return {
    proxy: blocks[0]?.body ?? '',
    pasted: blocks.slice(
      0,
      blocks.findIndex(({ body }) => body === configText),
    ),
    config: parse(configText),
    configText,
    check: [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '').slice(1),
    expected: (blocks.find(({ language }) => language === 'text')?.body ?? '').trim().split('\n'),
    list: /The list is `(trusted-headers\/[\w-]+\.conf)`/.exec(text)?.[1],
  };
}

export interface Front {
  readonly nvr: FakeNvr;
  readonly instance: Runtime;
  readonly proxy: StartedProxy;
  close(): Promise<void>;
}

interface Places {
  /** Where the proxy is to listen. */
  readonly port: number;
  readonly postern: string;
  /** The recipe's file for the proxy. */
  readonly text: string;
  /** Goes when the instance goes. */
  readonly directory: string;
}

/** The instance of a recipe's configuration behind the recipe's own proxy. */
export async function front(file: string, start: (places: Places) => Promise<StartedProxy>): Promise<Front> {
  const { proxy: text, config, list } = recipe(file);
  const nvr = await startFakeNvr();
  const auth = { ...(config['auth'] as object), trusted_proxies: ['127.0.0.1'], roles: { gardener: ['cam1'] } };
  const instance = await startInstance({
    people: [],
    config: { ...config, auth, nvr: { url: nvr.url } },
    ...(list === undefined ? {} : { trustedHeadersFile: join(ROOT, list) }),
  });
  const close = async (): Promise<void> => {
    await instance.close();
    await nvr.close();
  };
  try {
    const proxy = await start({
      port: await freePort(),
      postern: `127.0.0.1:${instance.port}`,
      text,
      directory: instance.directory,
    });
    return { nvr, instance, proxy, close: () => proxy.close().then(close) };
  } catch (fault) {
    await close();
    throw fault;
  }
}

/** What the NVR was told of who calls, or the status of the refusal. */
export async function told(
  { nvr, proxy }: Front,
  headers: readonly Line[],
  path = '/api/version',
): Promise<string | number> {
  nvr.received.length = 0;
  const { status } = await ask(proxy.port, { path, headers });
  return nvr.received.length === 0 ? status : `${nvr.lastHeader('remote-user')} as ${nvr.lastHeader('remote-role')}`;
}

/** What a client may try: all of it must be overwritten, dropped or refused. */
export const FORGED: readonly Line[] = [
  ['Remote-User', 'root'],
  ['Remote-Groups', 'nvr-admins'],
  ['X-Proxy-Secret', SECRET],
  ['X-authentik-username', 'root'],
  ['X-authentik-groups', 'nvr admins'],
  ['X-WebAuth-User', 'alice'],
];

/** Of a real WebSocket through the proxy: the echo, or the status of the refusal. */
export const echoed = (port: number, path: string, headers: readonly Line[]): Promise<string> =>
  new Promise((resolve) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers: Object.fromEntries(headers) });
    socket.once('open', () => socket.send('hello'));
    socket.once('message', (text) => {
      resolve(String(text));
      socket.close();
    });
    socket.once('unexpected-response', (_request, answer) => {
      answer.resume();
      resolve(String(answer.statusCode));
    });
    socket.on('error', () => {});
  });
