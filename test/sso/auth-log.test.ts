/** What the log says of proxies and their headers: at debug a line for each request, at start what cannot work (interface 2.5). */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { type ConfigTree, type Runtime, startInstance } from '../support/start-instance.ts';
import { until } from '../support/until.ts';
import { ask } from './support/ask.ts';

const SECRET = 'correct-horse-battery';
const PROXY_MODE: ConfigTree = {
  nvr: { cameras: ['cam1'] },
  auth: { enabled: false, roles: { gardener: ['cam1'] } },
  proxy: {
    auth_secret: SECRET,
    header_map: { user: 'Remote-User', role: 'Remote-Groups' },
    role_map: { admin: ['ops'] },
    default_role: 'none',
  },
};

async function startedInstance(t: TestContext, config: ConfigTree, trustedHeadersFile?: string): Promise<Runtime> {
  const instance = await startInstance({
    people: [],
    config,
    ...(trustedHeadersFile === undefined ? {} : { trustedHeadersFile }),
  });
  t.after(() => instance.close());
  return instance;
}

const warningsOf = ({ log }: Runtime): string[] =>
  log.filter(({ level }) => level === 'warn').map(({ msg }) => String(msg).replace(/^config\.yaml:\d+:\d+: /, ''));

describe('The logger service.api.auth', () => {
  for (const name of ['service.api.auth', 'frigate.api.auth', 'frigate']) {
    it(`at debug (as ${name}) says for each request what was received, kept and dropped, and which rule gave the role`, async (t) => {
      const instance = await startedInstance(t, { ...PROXY_MODE, logger: { logs: { [name]: 'debug' } } });
      const headers = [
        ['X-Proxy-Secret', SECRET],
        ['Remote-User', 'vera'],
        ['Remote-Groups', 'staff,ops'],
        ['X-authentik-username', 'root'],
      ] as const;
      await ask(instance.port, { path: '/api/version?token=x', headers });
      const lines = instance.log.filter(({ logger, msg }) => logger === 'service.api.auth' && msg === 'identified');
      assert.equal(lines.length, 1);
      const { time: _, ...line } = lines[0] ?? {};
      assert.deepEqual(line, {
        level: 'debug',
        logger: 'service.api.auth',
        msg: 'identified',
        source: 'proxy-headers',
        proxySecret: 'right',
        headers: [
          { name: 'remote-user', value: 'vera', fate: 'kept' },
          { name: 'remote-groups', value: 'staff,ops', fate: 'kept' },
          { name: 'x-authentik-username', value: 'root', fate: 'dropped', why: 'not mapped' },
        ],
        groups: ['staff', 'ops'],
        rule: 'the group "ops" gives admin by proxy.role_map',
        user: 'vera',
        role: 'admin',
        peer: '127.0.0.1',
        method: 'GET',
        path: '/api/version',
      });
    });
  }

  it('says with accounts of its own that no header counts: an operator who forgot auth.enabled looks for that', async (t) => {
    const instance = await startedInstance(t, { logger: { logs: { 'service.api.auth': 'debug' } } });
    await ask(instance.port, { path: '/api/version', headers: [['Remote-User', 'root']] });
    const lines = instance.log.filter(({ logger, msg }) => logger === 'service.api.auth' && msg === 'identified');
    const why = 'auth.enabled is true, so identity headers are ignored';
    assert.deepEqual(
      lines.map(({ source, outcomes, headers }) => ({ source, outcomes, headers })),
      [{ source: 'session', outcomes: [], headers: [{ name: 'remote-user', value: 'root', fate: 'dropped', why }] }],
    );
  });

  it('says nothing at its usual level', async (t) => {
    const instance = await startedInstance(t, PROXY_MODE);
    await ask(instance.port, { path: '/api/version', headers: [['Remote-User', 'vera']] });
    assert.deepEqual(
      instance.log.filter(({ logger }) => logger === 'service.api.auth'),
      [],
    );
  });
});

describe('At start the log warns', () => {
  const proxy = PROXY_MODE['proxy'] as object;
  // biome-ignore format: a table
  const rows: [of: string, config: ConfigTree, warning: RegExp][] = [
    ['of a mapped header that is not on the allowlist',     { ...PROXY_MODE, proxy: { ...proxy, header_map: { user: 'Remote-User', role: 'X-Elsewhere' } } },  /^\S+config\.yaml:\d+:\d+ proxy\.header_map\.role: "x-elsewhere" is not on the allowlist .*proxy_trusted_headers\.conf, so it is never trusted: add it there, or map another header$/],
    ['of header trust with neither secret nor trusted peer', { ...PROXY_MODE, proxy: { ...proxy, auth_secret: null } as never },            /auth\.enabled: false, and no proof is required, so the identity headers of every client are trusted/],
    ['of 0.0.0.0/0 among the trusted proxies',              { ...PROXY_MODE, auth: { enabled: false, trusted_proxies: ['0.0.0.0/0'] } },  /0\.0\.0\.0\/0 trusts every address/],
    ['of role_map to an undefined role',                    { ...PROXY_MODE, proxy: { ...proxy, role_map: { ghost: ['ghosts'] } } },      /proxy\.role_map\.ghost: "ghost" is not in auth\.roles/],
  ];
  for (const [of, config, warning] of rows) {
    it(of, async (t) => {
      const { proxy: written, ...rest } = config;
      const { auth_secret, ...others } = written as { auth_secret?: unknown };
      const instance = await startedInstance(t, {
        ...rest,
        proxy: auth_secret === null ? others : { auth_secret, ...others },
      });
      const warnings = warningsOf(instance);
      assert.equal(warnings.filter((text) => warning.test(text)).length, 1, warnings.join('\n'));
    });
  }

  it('of none of it when all is well', async (t) => {
    const warnings = warningsOf(await startedInstance(t, PROXY_MODE));
    assert.deepEqual(
      warnings.filter((text) => !text.includes('hash_iterations')),
      [],
    );
  });

  const UNLISTED = { ...PROXY_MODE, proxy: { ...proxy, header_map: { user: 'X-Auth-Request-User' } } };
  const NEVER =
    /proxy\.header_map\.user: "x-auth-request-user" is not on the allowlist .* every request would be 401: mount trusted-headers\/oauth2-proxy\.conf at \/usr\/local/;

  it('and a mapped user header that is not on the allowlist is an error, which names the ready file', async () => {
    await assert.rejects(startInstance({ config: UNLISTED }), NEVER);
  });

  it('and at a reload the configuration before stays', async (t) => {
    const instance = await startedInstance(t, PROXY_MODE);
    const { isTaken } = await instance.reload(UNLISTED);
    assert.equal(isTaken, false);
    assert.ok(instance.log.some(({ level, msg }) => level === 'error' && NEVER.test(String(msg))));
  });

  it('and a separator of two characters is an error', async () => {
    const wrong = { ...PROXY_MODE, proxy: { ...proxy, separator: '||' } };
    await assert.rejects(startInstance({ config: wrong }), /proxy\.separator: "\|\|" is not one character/);
  });
});

describe('The allowlist file of a running gate', () => {
  it('decides from the next request on, and a bad one changes nothing', { timeout: 300_000 }, async (t) => {
    const directory = mkdtempSync(join(tmpdir(), 'postern-list-'));
    t.after(() => rmSync(directory, { recursive: true }));
    const file = join(directory, 'proxy_trusted_headers.conf');
    writeFileSync(file, 'proxy_set_header Remote-User $http_remote_user;\nRemote-Groups\n');
    const instance = await startedInstance(t, PROXY_MODE, file);
    const status = async (): Promise<number> => {
      const headers = [
        ['X-Proxy-Secret', SECRET],
        ['Remote-User', 'vera'],
        ['Remote-Groups', 'ops'],
      ] as const;
      return (await ask(instance.port, { path: '/api/profile', headers })).status;
    };
    const logged = (text: RegExp): Promise<void> =>
      until(`${text} is logged`, () => instance.log.some(({ msg }) => text.test(String(msg))));
    assert.equal(await status(), 200);
    writeFileSync(file, 'Remote-User\n');
    await logged(/list of trusted headers was reloaded/);
    assert.equal(await status(), 401, 'denied by default_role none, which a profile shows as 401');
    assert.ok(
      warningsOf(instance).some((text) =>
        text.includes(' proxy.header_map.role: "remote-groups" is not on the allowlist'),
      ),
    );
    writeFileSync(file, 'Remote-User\nnot a name\n');
    await logged(/conf:2: "not a name" is neither .*; the previous list stays in use/);
    assert.equal(await status(), 401);
    writeFileSync(file, 'Remote-User\nRemote-Groups\nX-More\n');
    await until('the new list is in force', async () => (await status()) === 200);
  });
});
