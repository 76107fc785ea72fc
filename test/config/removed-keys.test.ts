/** A configuration that has a key of version 0.2 which is gone is refused, and says what to do instead. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { problemsOf } from './config-place.ts';

describe('A key that was removed', () => {
  it('is a problem that says what to do', async () => {
    const [problem = '', ...others] = await problemsOf('server: { base_path: /nvr }\ncanary: { every: 1h }\n');
    assert.deepEqual(others, []);
    assert.match(problem, /^config\.yaml:2:1 canary: was removed: .*policy diff.*; remove the key$/);
  });

  // biome-ignore format: a table
  const ROWS: [key: string, text: string, instead: RegExp][] = [
    ['server.console_url', 'server: {console_url: "https://console.example.com"}', /a second Postern without nvr\.url/],
    ['server.timeout_headers', 'server: {timeout_headers: 15}', /15 seconds/],
    ['server.timeout_login_body', 'server: {timeout_login_body: 5}', /10 seconds/],
    ['auth.cookie_same_site', 'auth: {cookie_same_site: none}', /follows from ui\.frame_ancestors/],
    ['nvr.user_header',    'nvr: {user_header: x-user}',        /remote-user/],
    ['nvr.role_header',    'nvr: {role_header: x-role}',        /remote-groups/],
    ['nvr.warn_open_ports', 'nvr: {warn_open_ports: false}',    /always looks/],
    ['auth.guest_keep',    'auth: {guest_keep: 30d}',           /30 days/],
    ['nvr.timeout_connect', 'nvr: {timeout_connect: 5}',        /5 seconds/],
    ['proxy.jwt.grace',    'proxy: {jwt: {preset: google-iap, audience: a, grace: 60}}', /an hour/],
    ['ledger.enabled',     'ledger: {enabled: false}',          /ledger\.retention: 0/],
    ['links.enabled',      'links: {enabled: false}',           /links\.max_lifetime: 0/],
    ['events.max_limit',   'events: {max_limit: 100}',          /10,000/],
  ];
  for (const [key, text, instead] of ROWS) {
    it(`is ${key}`, async () => {
      const [problem = '', ...others] = await problemsOf(text);
      assert.deepEqual(others, []);
      assert.match(problem, new RegExp(`^config\\.yaml:1:\\d+ ${key}: was removed: `));
      assert.match(problem, instead);
    });
  }

  it('is named from the environment, too', async () => {
    const [problem = ''] = await problemsOf('', { env: { POSTERN__CANARY__EVERY: '60' } });
    assert.match(problem, /^config\.yaml canary: was removed/);
  });

  it('hides no other problem', async () => {
    const problems = await problemsOf('canary: {}\nserver: { basepath: /nvr }\n');
    assert.deepEqual(
      [problems.length, problems[1]],
      [2, 'config.yaml:2:11 server.basepath: unknown key: did you mean base_path?'],
    );
  });
});
