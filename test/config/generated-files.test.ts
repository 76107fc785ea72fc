import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { configSchema } from '../../src/app/resources/features.ts';
import { exampleFile, jsonSchema, type KeySchema } from '../published/generated-files.ts';
import { load, problemsOf, settingsOf } from './config-place.ts';

const read = (name: string): Promise<string> => readFile(join(import.meta.dirname, '../../conf', name), 'utf8');

/** A secret's file is given by a rule, and is no key. */
const SCHEMA = jsonSchema(await configSchema());

const isTwin = (name: string, beside: object): boolean =>
  name.endsWith('_file') && name.replace(/_file$/, '') in beside;

/** Every key with its path, sections left out. */
function keysOf(
  schema: KeySchema,
  above: readonly string[] = [],
): readonly (readonly [path: readonly string[], key: KeySchema])[] {
  const { properties = {} } = schema;
  return Object.entries(properties)
    .filter(([name]) => !isTwin(name, properties))
    .flatMap(([name, part]) =>
      part.properties && !part.examples ? keysOf(part, [...above, name]) : [[[...above, name], part] as const],
    );
}

describe('The keys of the configuration', () => {
  it('are eighty at most: an entry of a list once, and files of secrets not counted', () => {
    const leaves = (part: KeySchema, path: string): readonly string[] => {
      const keys = part.properties ?? part.anyOf?.find(({ properties }) => properties)?.properties;
      return keys
        ? Object.entries(keys)
            .filter(([key]) => !isTwin(key, keys))
            .flatMap(([key, below]) => leaves(below, `${path}.${key}`))
        : [path];
    };
    const keys = leaves(SCHEMA, '');
    assert.ok(keys.length <= 80, `${keys.length}: ${keys.join(' ')}`);
  });
});

describe('The generated files of conf/', () => {
  it('config.example.yaml is what the schema says: else run "npm run generate"', async () => {
    assert.equal(await read('config.example.yaml'), exampleFile(SCHEMA));
  });

  it('config.schema.json is what the schema says: else run "npm run generate"', async () => {
    const { title, ...schema } = JSON.parse(await read('config.schema.json'));
    assert.equal(title, 'The configuration of Postern');
    assert.deepEqual(schema, JSON.parse(JSON.stringify(SCHEMA)));
  });

  for (const name of ['config.example.yaml', 'config.schema.json', 'quickstart.yaml', 'container.yaml']) {
    it(`${name} refers to no document: a sentence says it itself`, async () => {
      assert.doesNotMatch(await read(name), /\bSPEC\b|\binterface \d/);
    });
  }

  it('the example loads, without a warning, as the defaults', async () => {
    const outcome = await load(await read('config.example.yaml'));
    assert.equal(outcome.kind, 'loaded');
    const { tls, store, ...settings } = outcome.settings;
    const { tls: _tls, store: _store, ...defaults } = await settingsOf('');
    assert.deepEqual([settings, outcome.warnings], [defaults, []]);
  });
});

describe('Every key', () => {
  const keys = keysOf(SCHEMA);

  it('is there: those of the interface and of the contract (interface 2.5; SPEC 1)', () => {
    // biome-ignore format: a table
    assert.deepEqual(keys.map(([path]) => path.join('.')).sort(), [
      'auth.cookie_domain', 'auth.cookie_name', 'auth.cookie_secure', 'auth.enabled', 'auth.failed_login_rate_limit',
      'auth.hash_iterations', 'auth.invitation_lifetime', 'auth.oidc', 'auth.password_login', 'auth.password_min_length', 'auth.reauthenticate', 'auth.refresh_time', 'auth.reset_admin_password', 'auth.roles', 'auth.second_factor',
      'auth.session_length',
      'auth.session_max_age', 'auth.sessions_per_user', 'auth.timezone', 'auth.trusted_proxies',
      'events.nvr_database', 'events.retention', 'events.sample', 'events.source',
      'ledger.retention', 'ledger.visible_to_viewers',
      'links.max_lifetime',
      'logger.default', 'logger.logs',
      'notify.webhook', 'notify.webhook_secret',
      'nvr.auth_secret', 'nvr.ca', 'nvr.cameras', 'nvr.max_upload', 'nvr.policy', 'nvr.push_endpoints', 'nvr.routes',
      'nvr.timeout_idle', 'nvr.timeout_response', 'nvr.url', 'nvr.verify',
      'proxy.auth_secret', 'proxy.default_role', 'proxy.header_map.encoding', 'proxy.header_map.role', 'proxy.header_map.role_map',
      'proxy.header_map.user', 'proxy.jwt', 'proxy.logout_url', 'proxy.role_map', 'proxy.separator', 'proxy.trusted_peers',
      'server.base_path', 'server.external', 'server.internal', 'server.internal_hosts', 'server.public_url', 'server.shutdown_grace', 'server.site', 'server.sites', 'server.telemetry',
      'store.grace', 'store.listen_url', 'store.url',
      'tls.certificate', 'tls.enabled', 'tls.hsts', 'tls.private_key',
      'ui.frame_ancestors', 'ui.login', 'ui.name', 'ui.start_page',
    ]);
  });

  for (const [path, { description = '', default: value, examples }] of keys) {
    it(`${path.join('.')} has a sentence, and a default or an example`, () => {
      assert.match(description, /^[A-Z].*\.$/);
      assert.ok(value !== undefined || examples?.length === 1);
    });
  }

  for (const [path, { examples }] of keys.filter(([, key]) => key.examples)) {
    it(`${path.join('.')} takes its own example`, async () => {
      const tree = path.reduceRight<unknown>((value, key) => ({ [key]: value }), examples?.[0]);
      const secrets = { SERVICE_PROXY_SECRET: 'x', SERVICE_NVR_SECRET: 'x', SERVICE_WEBHOOK_SECRET: 'x' };
      const site = path.includes('oidc') && { POSTERN__SERVER__PUBLIC_URL: 'https://nvr.example.com' };
      // The other sites have one beside them, and the events of a site are those of an NVR.
      const ofSite = path.at(-1)?.startsWith('site') && {
        ...(path.includes('sites') && { POSTERN__SERVER__SITE: 'house' }),
        POSTERN__NVR__URL: 'http://nvr:5000',
      };
      const env = { ...secrets, SERVICE_OIDC_SECRET: 'x', ...site, ...ofSite };
      assert.deepEqual(await problemsOf(JSON.stringify(tree), { env }), []);
    });
  }
});
