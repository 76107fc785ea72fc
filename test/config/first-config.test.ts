/** What a directory without a configuration begins with: a container's has other needs than a checkout's (SPEC 1). */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { configSchema } from '../../src/app/resources/features.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { withDirectory } from './config-place.ts';

const CONTAINER = join(import.meta.dirname, '../../conf/container.yaml');

describe('POSTERN_FIRST_CONFIG', () => {
  it("names the file that is copied: the container's listens to all, over TLS, with no sample events", () =>
    withDirectory({}, async (directory) => {
      const outcome = await loadConfig({ directory, schema: configSchema, env: { POSTERN_FIRST_CONFIG: CONTAINER } });
      assert.ok(outcome.kind === 'loaded' && outcome.created);
      const { server, tls, events } = outcome.settings;
      assert.deepEqual(
        [server.external, server.internal, server.telemetry, tls.enabled, events.sample],
        [{ host: '0.0.0.0', port: 8971 }, { host: '0.0.0.0', port: 5000 }, { host: '0.0.0.0', port: 9871 }, true, 0],
      );
      assert.deepEqual(outcome.warnings, []);
      assert.equal(await readFile(join(directory, 'config.yaml'), 'utf8'), await readFile(CONTAINER, 'utf8'));
    }));

  it('is written once, and whole, when several start at once', () =>
    withDirectory({}, async (directory) => {
      const place = join(directory, 'made', 'here');
      const loads = Array.from({ length: 10 }, () =>
        loadConfig({ directory: place, schema: configSchema, env: { POSTERN_FIRST_CONFIG: CONTAINER } }),
      );
      const outcomes = await Promise.all(loads);
      assert.deepEqual(
        outcomes.map(({ kind }) => kind),
        Array(10).fill('loaded'),
      );
      assert.equal(outcomes.filter((outcome) => outcome.kind === 'loaded' && outcome.created).length, 1);
      assert.ok(
        outcomes.every(
          (outcome) => outcome.kind === 'loaded' && !outcome.isEmpty && outcome.settings.events.sample === 0,
        ),
      );
      assert.deepEqual(await readdir(place), ['config.yaml']);
    }));

  it('changes nothing where a configuration is', () =>
    withDirectory({ 'config.yaml': 'events: { sample: 7 }\n' }, async (directory) => {
      const outcome = await loadConfig({ directory, schema: configSchema, env: { POSTERN_FIRST_CONFIG: CONTAINER } });
      assert.deepEqual(outcome.kind === 'loaded' && [outcome.created, outcome.settings.events.sample], [false, 7]);
    }));
});
