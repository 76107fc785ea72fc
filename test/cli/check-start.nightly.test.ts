/** `postern check` names what a start ends with, although the configuration itself is right (SPEC 1). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { makeSelfSigned } from '../../src/gateway/certificates/certificates.ts';
import { openStore } from '../../src/store/open-store.ts';
import { newDirectory, runPostern, servePostern } from '../support/run-postern.ts';
import { freePorts } from '../support/servers/free-port.ts';

type Place = { readonly directory: string; readonly env: Record<string, string> };
type Files = Readonly<Record<string, string>>;

const pair = await makeSelfSigned({ names: ['localhost'], now: Date.now() });
const other = await makeSelfSigned({ names: ['localhost'], now: Date.now() });
const KNOWN_STORE = 'store: 00000000-0000-4000-8000-000000000000\n';
const filesIn = (directory: string): readonly string[] =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort();
const nothing = async (): Promise<void> => {};

/** A store that was used, then changed. */
const storeWith = (change: (store: Awaited<ReturnType<typeof openStore>>) => Promise<unknown>) => {
  return async ({ directory }: Place): Promise<void> => {
    const store = await openStore({ url: `sqlite:${join(directory, 'postern.db')}` });
    await change(store);
    await store.close();
  };
};

async function takePort({ env }: Place): Promise<void> {
  const server = createServer().listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  env['POSTERN__SERVER__EXTERNAL'] = `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function takeNoAddress({ env }: Place): Promise<void> {
  env['POSTERN__SERVER__EXTERNAL'] = '203.0.113.9:8971';
}

const NVR = 'nvr: {url: "https://127.0.0.1:9"';
// biome-ignore format: a table
const FAULTS: readonly (readonly [what: string, config: string, files: Files, prepare: (place: Place) => Promise<void>, said: RegExp])[] = [
  ['a certificate without its key',           'tls: {enabled: true}',   { 'tls/fullchain.pem': pair.certificate }, nothing, /fullchain\.pem is there and \S+privkey\.pem is not: provide both/],
  ['a certificate with the key of another',   'tls: {enabled: true}',   { 'tls/fullchain.pem': pair.certificate, 'tls/privkey.pem': other.privateKey }, nothing, /privkey\.pem is not the key of \S+fullchain\.pem/],
  ['a certificate that is none',              'tls: {enabled: true}',   { 'tls/fullchain.pem': 'nothing', 'tls/privkey.pem': pair.privateKey }, nothing, /fullchain\.pem is not a certificate in PEM/],
  ['an authority that is not there',          `${NVR}, ca: ca.pem}`,    {}, nothing, /nvr\.ca: \S+\/ca\.pem cannot be read \(ENOENT\): put the file there/],
  ['an authority that is no certificate',     `${NVR}, ca: ca.pem}`,    { 'ca.pem': 'nothing' }, nothing, /nvr\.ca: \S+\/ca\.pem is not a certificate in PEM/],
  ["the NVR's database that is not there",    `${NVR}}\nevents: {source: nvr-database, nvr_database: nvr.db}`, {}, nothing, /cannot open the database of the NVR at \S+nvr\.db: check that the file/],
  ['a store that is none',                    '{}',                     { 'postern.db': 'a text, '.repeat(200) }, nothing, /postern\.db/],
  ['a store of a newer version',              '{}',                     {}, storeWith(({ db }) => db.withTables<{ kysely_migration: { name: string; timestamp: string } }>().insertInto('kysely_migration').values({ name: '999-later', timestamp: '' }).execute()), /is of a newer version: its tables are at 999-later/],
  ['a store that is gone',                    '{}',                     { '.configured': KNOWN_STORE }, nothing, /is empty, but this configuration was used with a store that held accounts/],
  ['the store of a site, without a name',     '{}',                     {}, storeWith(({ db }) => db.insertInto('sites').values({ site: 'barn', cameras: null, roles: '[]', key_id: 'x', changed_at: 1 }).execute()), /server\.site: is missing, but the store is that of the site barn/],
  ['an empty signing secret',                 '{}',                     { '.jwt_secret': ' \n' }, nothing, /\.jwt_secret is empty: put at least 64/],
  ['an address that this machine lacks',      '{}',                     {}, takeNoAddress, /cannot listen on 203\.0\.113\.9:8971: this machine has no such address/],
  ['a port that another program has',         '{}',                     {}, takePort, /cannot listen on 127\.0\.0\.1:\d+: another program has that port/],
];

describe('postern check names what a start ends with:', { timeout: 300_000 }, () => {
  for (const [what, config, files, prepare, said] of FAULTS) {
    it(what, async () => {
      const directory = newDirectory(config);
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(join(directory, name)), { recursive: true });
        writeFileSync(join(directory, name), text, { mode: 0o600 });
      }
      const [external, internal, telemetry] = await freePorts(3);
      const place: Place = {
        directory,
        env: {
          ...(config.startsWith('tls') ? {} : { POSTERN__TLS__ENABLED: 'false' }),
          POSTERN__SERVER__EXTERNAL: `127.0.0.1:${external}`,
          POSTERN__SERVER__INTERNAL: `127.0.0.1:${internal}`,
          POSTERN__SERVER__TELEMETRY: `127.0.0.1:${telemetry}`,
        },
      };
      await prepare(place);
      const before = filesIn(directory);
      const checked = await runPostern(['check'], place);
      assert.equal(checked.code, 1, checked.stdout);
      assert.match(checked.stderr, said);
      assert.match(checked.stderr, /: 1 problem\n$/);
      assert.deepEqual(filesIn(directory), before, 'nothing was made');
      const started = await runPostern(['serve'], place);
      assert.deepEqual([started.code, said.test(started.stderr)], [1, true], started.stderr);
    });
  }

  it('and nothing of a service that runs', async () => {
    const serving = await servePostern();
    try {
      const env = {
        POSTERN__SERVER__EXTERNAL: new URL(serving.url).host,
        POSTERN__SERVER__INTERNAL: new URL(serving.internalUrl).host,
        POSTERN__SERVER__TELEMETRY: new URL(serving.telemetryUrl).host,
      };
      const { code, stderr } = await runPostern(['check'], { directory: serving.directory, env });
      assert.deepEqual([code, stderr], [0, '']);
    } finally {
      await serving.end();
    }
  });
});
