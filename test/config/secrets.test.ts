import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { configSchema } from '../../src/app/resources/features.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { formatProblem } from '../../src/config/problems/problems.ts';
import { withDirectory } from './config-place.ts';

/** What became of `proxy.auth_secret` with these files beside the configuration, which are the credentials directory too. */
const secretFrom = (files: Record<string, string>, env: Record<string, string> = {}): Promise<readonly string[]> =>
  withDirectory(files, async (directory) => {
    const outcome = await loadConfig({
      directory,
      schema: configSchema,
      env: { CREDENTIALS_DIRECTORY: directory, ...env },
    });
    if (outcome.kind === 'loaded') return outcome.settings.proxy.auth_secret;
    return outcome.problems.map((problem) => formatProblem('config.yaml', problem).replaceAll(directory, 'DIRECTORY'));
  });

describe('A secret (SPEC 1)', () => {
  const reading = 'proxy: {auth_secret_file: secret}';
  const naming = 'proxy: {auth_secret: "{SERVICE_X}"}';
  // biome-ignore format: a table
  const rows: [sentence: string, files: Record<string, string>, env: Record<string, string>, expected: readonly string[]][] = [
    ['is not asked for when there is none', { 'config.yaml': '' }, {}, []],
    ['may be one', { 'config.yaml': 'proxy: {auth_secret: one}' }, {}, ['one']],
    ['may be several, while it is changed', { 'config.yaml': 'proxy: {auth_secret: [one, two]}' }, {}, ['one', 'two']],
    ['may be in a file, whose last line break is not a part of it', { 'config.yaml': reading, secret: 'one\r\n' }, {}, ['one']],
    ['loses one line break only', { 'config.yaml': reading, secret: 'one\n\n' }, {}, ['config.yaml proxy.auth_secret: cannot be sent in a header: use printable ASCII with no blank at either end ("openssl rand -hex 32" makes one)']],
    ['in a file is taken as it stands', { 'config.yaml': reading, secret: '{SERVICE_X}' }, { SERVICE_X: 'y' }, ['{SERVICE_X}']],
    ['may be in the environment', { 'config.yaml': naming }, { SERVICE_X: 'one' }, ['one']],
    ['may be in the environment by its old name', { 'config.yaml': naming }, { FRIGATE_X: 'one' }, ['one']],
    ['may be asked for by the old name', { 'config.yaml': 'proxy: {auth_secret: "{FRIGATE_X}"}' }, { SERVICE_X: 'one' }, ['one']],
    ['may be in the credentials directory', { 'config.yaml': naming, SERVICE_X: 'one\n' }, {}, ['one']],
    ['is taken from the environment first', { 'config.yaml': naming, SERVICE_X: 'file' }, { SERVICE_X: 'variable' }, ['variable']],
    ['may be a part of the text, and of each of several', { 'config.yaml': 'proxy: {auth_secret: ["a{SERVICE_X}b{SERVICE_X}", "{other}"]}' }, { SERVICE_X: '$&' }, ['a$&b$&', '{other}']],
    ['is replaced once, not again', { 'config.yaml': naming }, { SERVICE_X: '{SERVICE_Y}', SERVICE_Y: 'no' }, ['{SERVICE_Y}']],
    ['may not be unknown', { 'config.yaml': naming }, {}, ['config.yaml:1:22 proxy.auth_secret: {SERVICE_X} is unknown: set the environment variable SERVICE_X or write the file DIRECTORY/SERVICE_X']],
    ['may not be empty in the environment', { 'config.yaml': naming }, { SERVICE_X: '' }, ['config.yaml:1:22 proxy.auth_secret: is blank: write a secret ("openssl rand -hex 32" makes one), or remove the key']],
    ['may not be given twice', { 'config.yaml': 'proxy: {auth_secret: one, auth_secret_file: secret}', secret: 'one' }, {}, ['config.yaml:1:45 proxy.auth_secret_file: proxy.auth_secret is given too: remove one of the two']],
    ['may not be in a file without a name', { 'config.yaml': 'nvr: {auth_secret_file: 5}' }, {}, ['config.yaml:1:25 nvr.auth_secret_file: 5 is not a file path: write one, or remove the key']],
    ['may not be in a file that is not there', { 'config.yaml': reading }, {}, ['config.yaml:1:27 proxy.auth_secret_file: cannot read "secret": there is no such file']],
    ['may not be in a blank file', { 'config.yaml': reading, secret: ' \n' }, {}, ['config.yaml proxy.auth_secret: is blank: write a secret ("openssl rand -hex 32" makes one), or remove the key']],
    ['may not be blank', { 'config.yaml': 'proxy: {auth_secret: "  "}' }, {}, ['config.yaml:1:22 proxy.auth_secret: is blank: write a secret ("openssl rand -hex 32" makes one), or remove the key']],
    ['may not be blank among others', { 'config.yaml': 'proxy: {auth_secret: [one, ""]}' }, {}, ['config.yaml:1:28 proxy.auth_secret[1]: is blank: write a secret ("openssl rand -hex 32" makes one), or remove the key']],
    ['may not be a list of none', { 'config.yaml': 'proxy: {auth_secret: []}' }, {}, ['config.yaml:1:9 proxy.auth_secret: the value is empty: give it a value, or remove the key']],
    ['may not be left out behind its key', { 'config.yaml': 'proxy: {auth_secret: }' }, {}, ['config.yaml:1:9 proxy.auth_secret: is not text, or a list of texts: put it in quotes']],
    ['may not be a number, which is not shown', { 'config.yaml': 'proxy: {auth_secret: 12345678}' }, {}, ['config.yaml:1:22 proxy.auth_secret: is not text, or a list of texts: put it in quotes']],
    ['is not shown when it stands where it should not', { 'config.yaml': 'proxy: [{auth_secret: hunter2}]' }, {}, ['config.yaml:1:1 proxy: a list is not a map: write its keys below it, indented']],
    ['is not shown when YAML takes it for something else', { 'config.yaml': 'proxy: {auth_secret: *hunter2}' }, {}, ['config.yaml: not valid YAML: Unresolved alias (the anchor must be set before the alias)']],
  ];
  for (const [sentence, files, env, expected] of rows) {
    it(sentence, async () => assert.deepEqual(await secretFrom(files, env), expected));
  }

  it('has a twin for each key that holds one', async () => {
    const files = {
      'config.yaml': 'nvr: {auth_secret_file: nvr-secret}\nstore: {url_file: store-url}',
      'nvr-secret': 'one\n',
      'store-url': 'sqlite:other.db\n',
    };
    await withDirectory(files, async (directory) => {
      const outcome = await loadConfig({ directory, schema: configSchema, env: {} });
      assert.equal(outcome.kind, 'loaded');
      const { nvr, store } = outcome.settings;
      assert.deepEqual([nvr.auth_secret, store.url], ['one', { engine: 'sqlite', file: join(directory, 'other.db') }]);
    });
  });

  it('counts as given when a file holds it', () =>
    withDirectory({ 'config.yaml': 'proxy: {auth_secret_file: secret}', secret: 'one' }, async (directory) => {
      const outcome = await loadConfig({ directory, schema: configSchema, env: {} });
      assert.ok(outcome.kind === 'loaded' && outcome.given.has('proxy.auth_secret'));
    }));
});
