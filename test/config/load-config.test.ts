import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { configSchema } from '../../src/app/resources/features.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { ledgerKeys } from '../../src/features/ledger/keys.ts';
import { settingsOf, withDirectory } from './config-place.ts';

const QUICKSTART = join(import.meta.dirname, '../../conf/quickstart.yaml');

describe('The first start, with no configuration (SPEC 1)', () => {
  it('writes the quick start into the directory, which it makes, and uses that', () =>
    withDirectory({}, async (directory) => {
      const place = join(directory, 'config');
      const outcome = await loadConfig({ directory: place, schema: configSchema, env: {} });
      assert.equal(outcome.kind, 'loaded');
      assert.deepEqual(
        [outcome.created, outcome.file, outcome.settings.events.sample, outcome.warnings],
        [true, join(place, 'config.yaml'), 2000, []],
      );
      assert.equal(await readFile(outcome.file, 'utf8'), await readFile(QUICKSTART, 'utf8'));
    }));

  it('is over at the second: the file is left as it is', () =>
    withDirectory({ 'config.yaml': 'events: {sample: 3}' }, async (directory) => {
      const outcome = await loadConfig({ directory, schema: configSchema, env: {} });
      assert.equal(outcome.kind, 'loaded');
      assert.deepEqual([outcome.created, outcome.settings.events.sample], [false, 3]);
    }));

  it('can also be read without writing anything', () =>
    withDirectory({}, async (directory) => {
      const outcome = await loadConfig({ directory, schema: configSchema, env: {}, whenMissing: 'read' });
      assert.equal(outcome.kind, 'loaded');
      assert.deepEqual([outcome.created, outcome.file, await readdir(directory)], [false, QUICKSTART, []]);
    }));
});

describe('The configuration directory', () => {
  it('may hold config.yml instead', () =>
    withDirectory({ 'config.yml': 'events: {sample: 4}' }, async (directory) => {
      const outcome = await loadConfig({ directory, schema: configSchema, env: {} });
      assert.equal(outcome.kind === 'loaded' && outcome.settings.events.sample, 4);
    }));

  it('may not hold both', () =>
    withDirectory({ 'config.yml': '', 'config.yaml': '' }, async (directory) => {
      assert.deepEqual(await loadConfig({ directory, schema: configSchema, env: {} }), {
        kind: 'invalid',
        problems: [{ path: '', message: `config.yaml and config.yml are both in ${directory}: remove one of the two` }],
        file: directory,
      });
    }));

  it('that cannot be written is a problem in a sentence', () =>
    withDirectory({ file: '' }, async (above) => {
      const directory = join(above, 'file', 'config');
      const message = `the configuration directory ${directory} cannot be used (a part of the path is a file): make it readable and writable, or choose another with --config-dir`;
      const expected = { kind: 'invalid', problems: [{ path: '', message }], file: directory };
      assert.deepEqual(await loadConfig({ directory, schema: configSchema, env: {} }), expected);
    }));

  it('in which the file cannot be read is a problem too', () =>
    withDirectory({}, async (directory) => {
      await mkdir(join(directory, 'config.yaml'));
      const outcome = await loadConfig({ directory, schema: configSchema, env: {} });
      const message = `the configuration directory ${directory} cannot be used (config.yaml is a directory): make it readable and writable, or choose another with --config-dir`;
      assert.deepEqual(outcome, { kind: 'invalid', problems: [{ path: '', message }], file: directory });
    }));

  it('is where relative file names start', () =>
    withDirectory({}, async (directory) => {
      const yaml = 'tls: {certificate: a.pem}\nnvr: {ca: b.pem, policy: ./c.yaml}\nevents: {nvr_database: d.db}';
      await writeFile(join(directory, 'config.yaml'), yaml);
      const outcome = await loadConfig({ directory, schema: configSchema, env: {} });
      assert.equal(outcome.kind, 'loaded');
      const { tls, nvr, events, store } = outcome.settings;
      assert.deepEqual(
        [
          tls.certificate,
          tls.private_key,
          nvr.ca,
          nvr.policy,
          events.nvr_database,
          store.url.engine === 'sqlite' && store.url.file,
        ],
        ['a.pem', 'tls/privkey.pem', 'b.pem', 'c.yaml', 'd.db', 'postern.db'].map((file) => join(directory, file)),
      );
    }));
});

describe('An empty configuration', () => {
  it('has the defaults of the interface and the contract (interface 2.5; SPEC 1)', async () => {
    const { store, tls, ...settings } = await settingsOf('');
    assert.deepEqual(settings, {
      server: {
        external: { host: '0.0.0.0', port: 8971 },
        internal: { host: '127.0.0.1', port: 5000 },
        internal_hosts: [],
        telemetry: { host: '127.0.0.1', port: 9871 },
        base_path: '',
        sites: [],
        shutdown_grace: 8,
      },
      auth: {
        enabled: true,
        reset_admin_password: false,
        failed_login_rate_limit: '5/minute;20/hour',
        trusted_proxies: [],
        session_length: 86_400,
        refresh_time: 1800,
        password_min_length: 12,
        session_max_age: 7_776_000,
        sessions_per_user: 50,
        invitation_lifetime: 259_200,
        second_factor: 'optional',
        oidc: [],
        password_login: 'everyone',
        reauthenticate: 'credentials',
        roles: new Map(),
        limits: new Map(),
        timezone: null,
        cookie_name: 'frigate_token',
        cookie_secure: 'auto',
        hash_iterations: 600_000,
      },
      proxy: {
        auth_secret: [],
        trusted_peers: [],
        separator: ',',
        header_map: {},
        default_role: 'viewer',
        role_map: new Map(),
      },
      nvr: {
        routes: [],
        policy: 'frigate',
        verify: true,
        timeout_response: 60,
        timeout_idle: 300,
        push_endpoints: [
          'fcm.googleapis.com',
          'updates.push.services.mozilla.com',
          '*.push.apple.com',
          '*.notify.windows.com',
        ],
        max_upload: 20_000_000,
      },
      events: { source: 'store', retention: null, sample: 0 },
      links: { max_lifetime: 30 * 86_400 },
      ledger: { retention: 90 * 86_400, visible_to_viewers: false },
      notify: {},
      logger: { default: 'info', logs: {} },
      ui: { login: 'postern', name: 'Postern', frame_ancestors: "'self'" },
    });
    assert.equal(tls.enabled, true);
    assert.equal(store.url.engine, 'sqlite');
  });

  it('may also be sections with nothing below them', async () => {
    const { auth, proxy } = await settingsOf('auth:\n  roles:\nproxy:\n  header_map:\n  role_map:\n');
    assert.deepEqual([auth.roles, proxy.header_map, proxy.role_map], [new Map(), {}, new Map()]);
  });
});

describe('A value is parsed once', () => {
  const tcp = (protocol: string, host: string, port: number) => ({ kind: 'tcp', protocol, host, port });
  // biome-ignore format: a table
  const rows: [sentence: string, yaml: string, path: string, expected: unknown][] = [
    ['an IPv6 listener', 'server: {external: "[::1]:0"}', 'server.external', { host: '::1', port: 0 }],
    ['a listener by name', 'server: {telemetry: "localhost:9"}', 'server.telemetry', { host: 'localhost', port: 9 }],
    ['a listener that is off', 'server: {telemetry: false}', 'server.telemetry', false],
    ['a prefix without its last slash', 'server: {base_path: /nvr/}', 'server.base_path', '/nvr'],
    ['a public address', 'server: {public_url: "HTTPS://NVR.example.com:443/"}', 'server.public_url', { origin: 'https://nvr.example.com', hostname: 'nvr.example.com', prefix: '' }],
    ['a public address with port and path', 'server: {public_url: "https://example.com:8443/nvr/", base_path: /nvr/}', 'server.public_url', { origin: 'https://example.com:8443', hostname: 'example.com', prefix: '/nvr' }],
    ['a public address on this machine, without TLS', 'server: {public_url: "http://[::1]:8971"}', 'server.public_url', { origin: 'http://[::1]:8971', hostname: '[::1]', prefix: '' }],
    ['a public address in letters beyond ASCII', 'server: {public_url: "https://büro.example"}', 'server.public_url', { origin: 'https://xn--bro-hoa.example', hostname: 'xn--bro-hoa.example', prefix: '' }],
    ['host names in lower case', 'server: {internal_hosts: [NVR.lan]}', 'server.internal_hosts', ['nvr.lan']],
    ['networks with host bits, addresses, both families', 'auth: {trusted_proxies: [10.0.0.1/8, 192.0.2.1, "fd00::1/8", "::1"]}', 'auth.trusted_proxies', ['10.0.0.1/8', '192.0.2.1', 'fd00::1/8', '::1']],
    ['roles in their order', 'auth: {roles: {zed: [a], Ant.1_b: ["*", "p_*"]}}', 'auth.roles', new Map([['zed', ['a']], ['Ant.1_b', ['*', 'p_*']]])],
    ['the cameras of a role that is a map', 'auth: {roles: {zed: {cameras: [a]}, ann: [b]}}', 'auth.roles', new Map([['zed', ['a']], ['ann', ['b']]])],
    ['what a role is denied', 'auth: {roles: {zed: {cameras: [a], deny: [ptz, export]}, ann: [b]}}', 'auth.limits', new Map([['zed', { deny: ['ptz', 'export'] }]])],
    ['no limit', 'auth: {failed_login_rate_limit: null}', 'auth.failed_login_rate_limit', null],
    ['header names in lower case', 'proxy: {header_map: {user: Remote-User, role: X-Groups}}', 'proxy.header_map', { user: 'remote-user', role: 'x-groups' }],
    ['the alias of the role map', 'proxy: {header_map: {role_map: {admin: [a, b]}}}', 'proxy.role_map', new Map([['admin', ['a', 'b']]])],
    ['the alias and the role map that say the same', 'proxy: {header_map: {role_map: {admin: [a]}}, role_map: {admin: [a]}}', 'proxy.role_map', new Map([['admin', ['a']]])],
    ['default_role none', 'proxy: {default_role: none}', 'proxy.default_role', 'none'],
    ['a custom default_role', 'proxy: {default_role: x}\nauth: {roles: {x: [a]}}', 'proxy.default_role', 'x'],
    ['a separator of one letter in two units', 'proxy: {separator: "😀"}', 'proxy.separator', '😀'],
    ['an upstream', 'nvr: {url: "http://nvr:5000"}', 'nvr.url', tcp('http:', 'nvr', 5000)],
    ['an upstream by IPv6 over TLS, whose port is known', 'nvr: {url: "https://[fd00::1]/"}', 'nvr.url', tcp('https:', 'fd00::1', 443)],
    ['an upstream by socket', 'nvr: {url: "unix:/run/nvr.sock"}', 'nvr.url', { kind: 'unix', path: '/run/nvr.sock' }],
    ['a route whose prefix is taken off', 'nvr: {routes: {/hls/: {url: "http://a", strip: true}, /live: {url: "http://b"}}}', 'nvr.routes', [{ prefix: '/live', upstream: tcp('http:', 'b', 80) }, { prefix: '/hls', upstream: { ...tcp('http:', 'a', 80), below: '/hls' } }]],
    ['routes, the longest first', 'nvr: {routes: {/live: "http://a", /live/webrtc/: "http://b:2"}}', 'nvr.routes', [{ prefix: '/live/webrtc', upstream: tcp('http:', 'b', 2) }, { prefix: '/live', upstream: tcp('http:', 'a', 80) }]],
    ['a decimal size', 'nvr: {max_upload: 1.5 MB}', 'nvr.max_upload', 1_500_000],
    ['a binary size', 'nvr: {max_upload: 2kib}', 'nvr.max_upload', 2048],
    ['a table by name', 'nvr: {policy: strict}', 'nvr.policy', 'strict'],
    ['the events of an NVR', 'nvr: {url: "http://nvr"}', 'events.source', 'nvr'],
    ['the own events beside an NVR', 'nvr: {url: "http://nvr"}\nevents: {source: store}', 'events.source', 'store'],
    ["the NVR's words for levels", 'logger: {default: warning, logs: {service.api.auth: critical}}', 'logger', { default: 'warn', logs: { 'service.api.auth': 'fatal' } }],
    ['an own name', 'ui: {name: "Villa <Rosa>"}', 'ui.name', 'Villa <Rosa>'],
    ['frame ancestors', 'ui: {frame_ancestors: "self https://*.example.com:8443"}', 'ui.frame_ancestors', "'self' https://*.example.com:8443"],
    ['frame ancestors in quotes already', `ui: {frame_ancestors: "'none'"}`, 'ui.frame_ancestors', "'none'"],
  ];
  for (const [sentence, yaml, path, expected] of rows) {
    it(sentence, async () => {
      const settings: unknown = await settingsOf(yaml);
      const value = path.split('.').reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], settings);
      assert.deepEqual(value, expected);
    });
  }
});

describe('A duration', () => {
  // biome-ignore format: a table
  const rows: [written: string, seconds: number][] = [
    ['90', 90], ['90s', 90], ['15m', 900], ['1h', 3600], ['1 h', 3600], ['7d', 604_800], ['4w', 2_419_200], ['"120"', 120],
  ];
  for (const [written, seconds] of rows)
    it(`may be written as ${written}`, async () =>
      assert.equal((await settingsOf(`auth: {session_length: ${written}}`)).auth.session_length, seconds));

  it('of ledger.retention may be the days of former versions', async () => {
    for (const [written, days] of [
      ['90', 90],
      ['90d', 90],
      ['7776000', 90],
      ['36h', 1.5],
      ['0', 0],
    ] as const)
      assert.equal(ledgerKeys(await settingsOf(`ledger: {retention: ${written}}`)).retention, days * 86_400);
  });
});
