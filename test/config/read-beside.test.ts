/** A long configuration, which a thread reads while requests are served, is read as a short one is (SPEC 1, reload). */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { configSchema } from '../../src/app/resources/features.ts';
import { readServiceConfig } from '../../src/config/read-beside.ts';
import { loadServiceConfig } from '../../src/config/service-config.ts';
import { withDirectory } from './config-place.ts';

const LONG = `# ${'x'.repeat(40_000)}\n`;
const EXAMPLE = readFileSync(join(import.meta.dirname, '../../conf/config.example.yaml'), 'utf8');
const SECRET = 'for the NVR and us';

const GOOD = `${LONG}auth:
  trusted_proxies: [172.18.0.0/16]
  roles:
    guest: [a, &b "b_*", *b]
    cleaner: {cameras: [hall], hours: ['Fri 08:00-12:00'], history_since: 1d, deny: [export]}
proxy: {auth_secret_file: secret}
nvr:
  url: http://nvr:5000
  cameras: [a, b_1]
  auth_secret: '{SERVICE_NVR_SECRET}'
  routes: {/live/webrtc: {url: 'http://go2rtc:1984', strip: true}}
`;

const BAD = `${LONG}auth:
  session_lenght: 60
  roles: {guest: [a, "*"], cleaner: 7}
proxy: {auth_secret: "${SECRET}\\n"}
nvr: {url: nowhere}
`;

/** What the thread gives, what is read here, and the turns that others had meanwhile. */
const readTwice = (text: string) =>
  withDirectory({ 'config.yaml': text, secret: SECRET }, async (directory) => {
    const env = { SERVICE_NVR_SECRET: SECRET, POSTERN__AUTH__SESSION_LENGTH: '3600' };
    const place = { directory, env, whenMissing: 'refuse', stored: { 'auth.timezone': 'Europe/Paris' } } as const;
    let turns = 0;
    const turning = setInterval(() => (turns += 1));
    const schema = await configSchema();
    const beside = await readServiceConfig(place, schema);
    clearInterval(turning);
    return { beside, here: await loadServiceConfig({ ...place, schema: () => schema }), turns };
  });

describe('A long configuration that is read again', () => {
  it('is read beside the event loop, as it is here, with the place of each key', async () => {
    const { beside, here, turns } = await readTwice(GOOD);
    assert.ok(turns > 1);
    assert.ok(beside.kind === 'loaded' && here.kind === 'loaded');
    const { placed, origins, ...plain } = beside;
    const { placed: _, origins: originsHere, ...plainHere } = here;
    assert.deepEqual(plain, plainHere);
    assert.deepEqual(origins(), originsHere());
    const place = (...path: readonly (string | number)[]) => placed({ path, message: '' });
    assert.deepEqual([place('auth', 'roles', 'guest', 1).line, place('auth', 'roles', 'guest', 1).column], [5, 19]);
    assert.equal(place('auth', 'session_length').source, 'POSTERN__AUTH__SESSION_LENGTH');
    assert.match(place('auth', 'timezone').source ?? '', /page Security/);
  });

  it('with every key is read as it is here', async () => {
    const { beside, here } = await readTwice(LONG + EXAMPLE);
    assert.ok(beside.kind === 'loaded' && here.kind === 'loaded');
    assert.deepEqual(beside.settings, here.settings);
    assert.deepEqual(beside.given, here.given);
  });

  it('and is refused says the same, in the same order, and no secret', async () => {
    const { beside, here } = await readTwice(BAD);
    assert.ok(beside.kind === 'invalid' && beside.problems.length > 3);
    assert.deepEqual(beside, here);
    assert.doesNotMatch(JSON.stringify(beside.problems), new RegExp(SECRET));
  });
});
