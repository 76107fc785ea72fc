/** The store that both sides begin with, made over HTTP by the older one: people, tokens, links and a screen. */
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { neutralPaths } from '../policy/support/rows.ts';
import { answerWithBoth, BEDROOM, GARDEN } from '../policy/support/two-cameras.ts';
import { startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL, type Person, VERA } from '../support/people.ts';
import { recordedEvents } from '../support/recorded.ts';
import { runPostern, servePostern } from '../support/run-postern.ts';
import { logInAt } from '../support/sessions.ts';

export const GUSTAV: Person = { name: 'gustav', role: 'gardener', password: 'CopperPassw0rd!' };

type Headers = Readonly<Record<string, string>>;

export interface Seed {
  readonly directory: string;
  /** People who log in anew at each start, for their sessions end with a service. */
  readonly people: readonly Person[];
  /** Credentials that last. */
  readonly credentials: Readonly<Record<string, Headers>>;
  /** What paths name: `{id}` of tokens, links, screens. */
  readonly ids: Readonly<Record<'token' | 'link' | 'screen', string>>;
  /** The addresses of links, as paths. */
  readonly links: readonly string[];
}

/** Roles and keys that both versions read. */
export const CONFIG = {
  tls: { enabled: false },
  auth: {
    hash_iterations: 1000,
    failed_login_rate_limit: null,
    roles: { front_only: ['cam1'], gardener: [GARDEN.camera] },
  },
  nvr: { cameras: [GARDEN.camera, BEDROOM.camera, 'cam1', 'cam2'] },
} as const;

export async function makeSeed(checkout: string): Promise<Seed> {
  const directory = mkdtempSync(join(tmpdir(), 'postern-seed-'));
  const events = join(directory, 'events.ndjson');
  writeFileSync(events, recordedEvents());
  const main = join(checkout, 'bundle/main.js');
  writeFileSync(join(directory, 'config.yaml'), stringify(CONFIG));
  const imported = await runPostern(['events', 'import', events], { main, directory });
  assert.equal(imported.code, 0, imported.stderr);
  const nvr = await startFakeNvr();
  nvr.answer = answerWithBoth(neutralPaths(), () => {});
  const inFront = { ...CONFIG, nvr: { ...CONFIG.nvr, url: nvr.url } };
  writeFileSync(join(directory, 'config.yaml'), stringify(inFront));
  const serving = await servePostern({ main, directory });
  const password = serving.adminPassword ?? assert.fail(`no password was printed: ${serving.output.stdout}`);
  const send = async <T>(headers: Headers, method: string, path: string, body?: object): Promise<T> => {
    const answer = await fetch(`${serving.url}${path}`, {
      method,
      headers: { ...headers, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
    return (text === '' ? {} : JSON.parse(text)) as T;
  };
  const first = await bearerOf(serving.url, { ...ADMIN_PERSON, password });
  await send(first, 'PUT', '/api/users/admin/password', { old_password: password, password: ADMIN_PERSON.password });
  const admin = await bearerOf(serving.url, ADMIN_PERSON);
  await send(admin, 'PUT', '/api/roles/barn', { cameras: ['cam2'] });
  for (const { name, role, password: own } of [VERA, CARL, GUSTAV])
    await send(admin, 'POST', '/api/users', { username: name, password: own, role });
  const [vera, gustav] = [await bearerOf(serving.url, VERA), await bearerOf(serving.url, GUSTAV)];
  const token = async (by: Headers, more: object): Promise<{ id: string; token: string }> =>
    send(by, 'POST', '/api/tokens', more);
  const made = {
    'admin token': await token(admin, { name: 'whole' }),
    'admin token, garden': await token(admin, { name: 'narrowed', cameras: [GARDEN.camera] }),
    'admin token as viewer': await token(admin, { name: 'lower', role: 'viewer' }),
    'curtain token': await token(admin, { name: 'switch', rights: ['curtain'] }),
    'viewer token': await token(vera, { name: 'hers' }),
    'gardener token': await token(gustav, { name: 'his' }),
  };
  const link = (what: object): Promise<{ id: string; url: string }> =>
    send(admin, 'POST', '/api/links', { what, expires_in: 86_400 });
  const links = [await link({ event: GARDEN.event }), await link({ live: { camera: GARDEN.camera } })].map((one) => ({
    ...one,
    path: new URL(one.url, serving.url).pathname,
  }));
  const code = await send<{ user_code: string; device_code: string }>({}, 'POST', '/api/screens/code');
  const confirmed = { user_code: code.user_code, name: 'hall', cameras: [GARDEN.camera] };
  const { id: screen } = await send<{ id: string }>(admin, 'POST', '/api/screens/confirm', confirmed);
  const paired = await fetch(`${serving.url}/api/screens/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ device_code: code.device_code }),
  });
  const display = paired.headers.getSetCookie().map((line) => line.split(';')[0]);
  await serving.end();
  await nvr.close();
  const tokens = Object.entries(made).map(([name, { token: value }]) => [name, { authorization: `Bearer ${value}` }]);
  const basic = `Basic ${Buffer.from(`x:${made['admin token'].token}`).toString('base64')}`;
  return {
    directory,
    people: [ADMIN_PERSON, VERA, GUSTAV, CARL],
    credentials: {
      ...(Object.fromEntries(tokens) as Record<string, Headers>),
      'admin token by Basic': { authorization: basic },
      screen: { cookie: display.join('; ') },
      'wrong token': { authorization: `Bearer pst_${'0'.repeat(16)}_${'0'.repeat(64)}` },
      anonymous: {},
    },
    ids: { token: made['viewer token'].id, link: links[0]?.id ?? '', screen },
    links: links.map(({ path }) => path),
  };
}

export const bearerOf = async (url: string, person: Person): Promise<Headers> => ({
  authorization: `Bearer ${await logInAt(url, person)}`,
});
