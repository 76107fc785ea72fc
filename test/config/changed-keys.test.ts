/** What of a configuration that was read again holds at once, and what waits for a restart (SPEC 1, reload). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { configSchema } from '../../src/app/resources/features.ts';
import { renewed } from '../../src/config/rules.ts';
import { settingsOf } from './config-place.ts';

const SCHEMA = await configSchema();

const RUNNING = await settingsOf('auth: {roles: {guest: [garden]}}');

// biome-ignore format: a table
const ROWS: [yaml: string, changed: string[], waiting: string[]][] = [
  ['auth: {roles: {guest: [garden]}}',                                                              [],                                   []],
  ['auth: {roles: {guest: [garden, street]}}',                                                      ['auth.roles'],                       []],
  ['auth: {roles: {guest: {cameras: [garden], deny: [history]}}}',                                  ['auth.roles'],                       []],
  ['auth: {}',                                                                                      ['auth.roles'],                       []],
  ['auth: {roles: {guest: [garden]}, session_length: 60, trusted_proxies: [10.0.0.0/8]}',           ['auth.trusted_proxies', 'auth.session_length'], []],
  ['auth: {roles: {guest: [garden]}}\nnvr: {url: "http://nvr:5000"}',                               ['events.source', 'nvr.url'],         []],
  ['auth: {roles: {guest: [garden]}}\nlogger: {logs: {service.gate: debug}}',                       ['logger.logs'],                      []],
  ['auth: {roles: {guest: [garden]}}\nserver: {external: "0.0.0.0:8972"}',                          [],                                   ['server.external']],
  ['auth: {roles: {guest: [garden]}}\nserver: {internal: false, base_path: /nvr}',                  ['server.base_path'],                 ['server.internal']],
  ['auth: {roles: {guest: [garden]}}\nstore: {url: "sqlite:other.db"}\ntls: {enabled: false}',      [],                                   ['store.url', 'tls.enabled']],
  ['auth: {roles: {guest: [garden]}, reset_admin_password: true}',                                  [],                                   ['auth.reset_admin_password']],
];

describe('A configuration that was read again', () => {
  for (const [yaml, changed, waiting] of ROWS) {
    it(`changes ${changed.join(', ') || 'nothing'} and leaves ${waiting.join(', ') || 'nothing'} to a restart`, async () => {
      const { store, tls, ...rest } = await settingsOf(yaml);
      const read = {
        ...rest,
        store: yaml.includes('store') ? store : RUNNING.store,
        tls: { ...RUNNING.tls, enabled: tls.enabled },
      };
      const found = renewed(SCHEMA, RUNNING, read);
      assert.deepEqual(
        [[...found.changed].sort(), [...found.waiting].sort()],
        [[...changed].sort(), [...waiting].sort()],
      );
      const again = renewed(SCHEMA, found.settings, read);
      assert.deepEqual([again.changed, again.waiting], [[], found.waiting]);
      assert.deepEqual(renewed(SCHEMA, RUNNING, found.settings).waiting, []);
    });
  }

  it('keeps the whole of what waits as it was, and the rest as it was read', async () => {
    const read = await settingsOf('server: {external: "127.0.0.1:1", internal: false, internal_hosts: [nvr.lan]}');
    const { settings } = renewed(SCHEMA, RUNNING, read);
    assert.deepEqual(settings.server, { ...RUNNING.server, internal_hosts: ['nvr.lan'] });
    assert.deepEqual(settings.auth, read.auth);
  });
});
