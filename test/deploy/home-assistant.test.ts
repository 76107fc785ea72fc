/** deploy/home-assistant: an add-on as the Supervisor takes it, whose options become keys that Postern takes. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { type AddOnOptions, environmentOf } from '../../deploy/home-assistant/postern/run.ts';
import { startFakeNvr } from '../support/fake-nvr.ts';
import { startInstance } from '../support/start-instance.ts';
import { ROOT } from './support/compose.ts';
import { readDockerfile } from './support/dockerfile.ts';

const FOLDER = join(ROOT, 'deploy/home-assistant/postern');
const read = (file: string) => parse(readFileSync(join(FOLDER, file), 'utf8'));
const config = read('config.yaml') as {
  readonly version: string;
  readonly options: AddOnOptions;
  readonly schema: Readonly<Record<string, unknown>>;
} & Readonly<Record<string, unknown>>;
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string };

/** A type of an option, as the Supervisor writes them. */
const TYPE = /^(?:str|url|int|bool|match\(.+\)|list\(.+\))\??$/;
const typesIn = (schema: unknown): readonly string[] =>
  typeof schema === 'string' ? [schema] : Object.values(schema ?? {}).flatMap(typesIn);

describe('The add-on for Home Assistant', () => {
  it('has the version of the project, and is built on the image of that version', () => {
    assert.equal(config.version, version);
    const { build_from } = read('build.yaml') as { readonly build_from: Readonly<Record<string, string>> };
    assert.deepEqual(Object.keys(build_from).sort(), [...(config['arch'] as string[])].sort());
    for (const image of Object.values(build_from)) assert.equal(image, `ghcr.io/OWNER/REPOSITORY:${version}`);
  });

  it('is opened by ingress, by everybody, and is the first process of its container', () => {
    const { init, ingress, ingress_port, ingress_stream, panel_admin, backup, ports } = config;
    assert.deepEqual([init, ingress, ingress_port, ingress_stream, panel_admin], [false, true, 8971, true, false]);
    assert.deepEqual([backup, ports], ['cold', undefined]);
  });

  it('has a type, a default and words in both languages for each option', () => {
    const names = Object.keys(config.schema);
    assert.deepEqual(Object.keys(config.options), names);
    for (const type of typesIn(config.schema)) assert.match(type, TYPE);
    const files = globSync('translations/*.yaml', { cwd: FOLDER });
    assert.equal(files.length, 2);
    for (const file of files) {
      const { configuration } = read(file) as { configuration: Record<string, { name: string; description: string }> };
      assert.deepEqual(Object.keys(configuration), names, file);
      for (const words of Object.values(configuration)) assert.ok(words.name && words.description, file);
    }
    const docs = readFileSync(join(FOLDER, 'DOCS.md'), 'utf8');
    for (const name of names) assert.ok(docs.includes(`| \`${name}\` |`), name);
  });

  it('has an icon of 128 by 128', () => {
    const png = readFileSync(join(FOLDER, 'icon.png'));
    assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [128, 128]);
  });

  it('copies into its image what is there', () => {
    const copies = readDockerfile(join(FOLDER, 'Dockerfile')).flatMap(({ steps }) =>
      steps.filter(({ verb }) => verb === 'COPY'),
    );
    assert.equal(copies.length, 2);
    for (const { rest } of copies) {
      const [source = ''] = rest.replace(/^--from=postern \/app\//, '').split(' ');
      assert.ok(existsSync(join(rest.startsWith('--from') ? ROOT : FOLDER, source)), source);
    }
  });

  it('shows each user of Home Assistant what the options say', async (t) => {
    const nvr = await startFakeNvr();
    t.after(() => nvr.close());
    const options = {
      ...config.options,
      nvr_url: nvr.url,
      admins: ['anna'],
      roles: [{ name: 'garden', cameras: ['garden', 'patio_*'], users: ['gustav'] }],
      keys: [
        { key: 'links.max_lifetime', value: '0' },
        { key: 'auth.enabled', value: 'true' },
      ],
    };
    const env = { ...environmentOf(options) };
    assert.equal(env['POSTERN__AUTH__TRUSTED_PROXIES'], '["172.30.32.2"]');
    const instance = await startInstance({
      people: [],
      text: readFileSync(join(ROOT, 'conf/container.yaml'), 'utf8'),
      trustedHeadersFile: join(ROOT, 'trusted-headers/home-assistant-ingress.conf'),
      env: {
        ...env,
        POSTERN__SERVER__EXTERNAL: '127.0.0.1:0',
        POSTERN__SERVER__TELEMETRY: '127.0.0.1:0',
        // The Supervisor of this test.
        POSTERN__AUTH__TRUSTED_PROXIES: '["127.0.0.1"]',
      },
    });
    t.after(() => instance.close());
    const asUser = async (name: string) => {
      const answer = await instance.ask('/api/profile', { headers: { 'X-Remote-User-Name': name } });
      const { role, allowed_cameras } = (await answer.json()) as Record<string, unknown>;
      return [answer.status, role, allowed_cameras];
    };
    assert.deepEqual((await asUser('anna')).slice(0, 2), [200, 'admin']);
    assert.deepEqual((await asUser('gustav')).slice(0, 2), [200, 'garden']);
    assert.equal((await asUser('nobody'))[0], 401);
    assert.equal(nvr.received.filter(({ target }) => target.includes('profile')).length, 0);
    const { log } = instance;
    assert.deepEqual(
      log.filter(({ level }) => level === 'error'),
      [],
    );
  });
});
