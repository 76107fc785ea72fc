/** The instance of the walk: one caller of each kind in front of an NVR with two cameras. */
import { randomBytes } from 'node:crypto';
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import type { Role, UserName } from '../../../src/domain/names.ts';
import { openStore } from '../../../src/store/open-store.ts';
import { type FakeNvr, type Received, startFakeNvr } from '../../support/fake-nvr.ts';
import { ADMIN_PERSON, type Person, VERA } from '../../support/people.ts';
import { type ConfigTree, type Runtime, startInstance } from '../../support/start-instance.ts';
import type { Asked } from './rows.ts';
import { answerWithBoth } from './two-cameras.ts';

export const CALLERS = ['admin', 'viewer', 'gardener', 'ghost', 'anonymous'] as const;
/** `gardener` sees the garden alone; `ghost` has an undefined role, `anonymous` no credential. */
export type CallerName = (typeof CALLERS)[number];

export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The body that the NVR sent for it. */
  readonly sent: string;
  /** What the NVR got of it, without what the gate asked in its own name. */
  readonly forwarded: readonly Received[];
}

export interface WalkInstance {
  readonly nvr: FakeNvr;
  readonly instance: Runtime;
  /** The session tokens of the callers. */
  readonly tokens: Readonly<Record<CallerName, string | undefined>>;
  ask(caller: CallerName, asked: Asked, headers?: Readonly<Record<string, string>>): Promise<Answered>;
  close(): Promise<void>;
}

const GARDENER: Person = { name: 'gustav', role: 'gardener', password: 'GustavPassw0rd!' };
const GHOST: Person = { name: 'gina', role: 'gardener', password: 'GinaPassw0rd!!!' };

export async function startWalkInstance(
  neutral: readonly RegExp[],
  config: ConfigTree = {},
  more: readonly Person[] = [],
): Promise<WalkInstance> {
  const nvr = await startFakeNvr();
  // By request id: the gate's own questions, which have none, are answered in between.
  const sent = new Map<string, string>();
  nvr.answer = answerWithBoth(neutral, (request, body) => {
    const id = request.headers['x-request-id'];
    if (typeof id === 'string') sent.set(id, body);
  });
  const instance = await startInstance({
    config: { auth: { roles: { gardener: ['garden'] } }, nvr: { url: nvr.url }, ...config },
    people: [ADMIN_PERSON, VERA, GARDENER, GHOST, ...more],
  });
  const tokens: Record<CallerName, string | undefined> = {
    admin: await instance.logIn(ADMIN_PERSON),
    viewer: await instance.logIn(VERA),
    gardener: await instance.logIn(GARDENER),
    ghost: await instance.logIn(GHOST),
    anonymous: undefined,
  };
  // At a start such users are made viewers: so the role is lost while it runs, as when a replica knows another file.
  const store = await openStore({ url: `sqlite:${instance.directory}/postern.db` });
  await store.accounts.setRole(GHOST.name as UserName, 'no_such_role' as Role);
  await store.close();
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });

  return {
    nvr,
    instance,
    tokens,
    async ask(caller, asked, headers = {}) {
      nvr.received.length = 0;
      sent.clear();
      const token = tokens[caller];
      const bearer = token === undefined ? {} : { authorization: `Bearer ${token}` };
      const answered = await sendRaw(instance.port, agent, asked, { ...bearer, ...headers });
      const forwarded = nvr.received.filter((received) => requestIdOf(received) !== undefined);
      const [first] = forwarded;
      return { ...answered, forwarded, sent: sent.get((first && requestIdOf(first)) ?? '') ?? '' };
    },
    async close() {
      agent.destroy();
      await instance.close();
      await nvr.close();
    },
  };
}

const requestIdOf = ({ headers }: Received): string | undefined =>
  headers.find(([name]) => name === 'x-request-id')?.[1];

const UPGRADE = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };

/** As it stands: no client library puts the target right. */
export function sendRaw(
  port: number,
  agent: Agent,
  { method, target, body }: Asked,
  headers: Readonly<Record<string, string>>,
): Promise<Omit<Answered, 'forwarded' | 'sent'>> {
  const isUpgrade = method === 'WS';
  const key = { 'sec-websocket-key': randomBytes(16).toString('base64') };
  const json = body === undefined ? {} : { 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      host: '127.0.0.1',
      port,
      method: isUpgrade ? 'GET' : method,
      path: target,
      headers: { ...headers, ...json, ...(isUpgrade ? { ...UPGRADE, ...key } : {}) },
      ...(isUpgrade ? {} : { agent }),
    });
    request.once('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString('latin1'),
        }),
      );
    });
    request.once('upgrade', (response, socket) => {
      socket.destroy();
      resolve({ status: 101, headers: response.headers, body: '' });
    });
    request.once('error', reject);
    request.end(body);
  });
}
