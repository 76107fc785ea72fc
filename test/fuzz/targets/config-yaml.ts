/** The configuration: settings, or sentences that name the key, with no secret in them; an exception of another kind never. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configSchema } from '../../../src/app/resources/features.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import type { FuzzTarget } from './target.ts';
import { assertSentences, SECRET } from './yaml.ts';

const directory = mkdtempSync(join(tmpdir(), 'postern-fuzz-'));
process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
const file = join(directory, 'config.yaml');

export const fuzzTarget: FuzzTarget = {
  outcomes: ['refused', 'loaded'],
  longest: 700,
  seeds: [
    '{}\n',
    `nvr: { url: "http://127.0.0.1:5000", auth_secret: ${SECRET} }\nauth:\n  roles: { front: [cam1], back: { cameras: ["*"], deny: [ptz], hours: "mon-fri 08:00-18:00" } }\n`,
    `proxy:\n  auth_secret: "${SECRET}"\n  header_map: { user: x-forwarded-user, role_map: { admin: [boss] } }\nauth: { enabled: false, trusted_proxies: ["10.0.0.0/8"], session_length: 3600 }\n`,
    'server: { external: "0.0.0.0:8971", internal: false, base_path: /nvr }\nstore: { url: "postgres://u:p@h/d" }\n',
    'logger: { default: info, logs: { service.api: debug } }\ntls: { enabled: false }\nlinks: { max_lifetime: 1d }\n',
  ],
  words: [
    'auth: ',
    'nvr: ',
    'url: ',
    'roles: ',
    '  ',
    '\n',
    'null',
    '~',
    '"*"',
    '!!binary ',
    '<<: ',
    '&a ',
    '*a',
    'http://',
    'unix:/',
    '1h',
    '7d',
    '20MB',
    '10.0.0.0/8',
    '{SERVICE_X}',
    '_file: ',
    '__proto__: ',
  ],
  async judge(input) {
    const text = input.toString('utf8');
    // What it names by `_file` is not there.
    writeFileSync(file, text);
    const config = await loadConfig({ directory, schema: configSchema, env: {}, whenMissing: 'read' });
    if (config.kind === 'invalid') {
      assertSentences(config.problems, text);
      return 'refused';
    }
    const { settings } = config;
    assert.ok(
      settings.server.external !== undefined && settings.auth.hash_iterations > 0 && settings.auth.session_length > 0,
    );
    for (const role of ['admin', 'viewer'])
      assert.ok(!(role in settings.auth.roles) || settings.auth.roles !== undefined);
    for (const { message } of config.warnings) assert.doesNotMatch(message, /\bundefined\b|\[object/);
    return 'loaded';
  },
};
