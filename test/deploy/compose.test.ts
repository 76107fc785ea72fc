/** deploy/compose: each file is whole, publishes nothing of the NVR's, and its part of ours starts as it stands there. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { newDirectory, runPostern, type Serving, servePostern } from '../support/run-postern.ts';
import { composeText, networksOf, ROOT, readCompose, wantedVariables } from './support/compose.ts';
import { GIVEN } from './support/given.ts';

/** Laid over a compose file of Frigate's; the others are whole. */
const IN_FRONT = 'in-front.yml';
const FILES = readdirSync(join(ROOT, 'deploy/compose')).filter((file) => file.endsWith('.yml') && file !== IN_FRONT);
const FIRST_CONFIG = join(ROOT, 'conf/container.yaml');

for (const file of FILES) {
  describe(`deploy/compose/${file}`, () => {
    const compose = readCompose(file, GIVEN);
    const { services } = compose;
    const postern = services['postern']?.environment ?? {};

    it('names in its head every variable that must be given', () => {
      const head = composeText(file).split('\nservices:')[0] ?? '';
      for (const name of wantedVariables(file)) assert.match(head, new RegExp(`^# {3}${name}=`, 'm'));
    });

    it("bounds Docker's log of each service", () => {
      for (const [name, { logging }] of Object.entries(services)) assert.equal(logging?.driver, 'local', name);
    });

    it('publishes no port of the NVR', () => assert.equal(services['frigate']?.ports, undefined));

    it('publishes the ports of one service', () =>
      assert.equal(Object.values(services).filter(({ ports }) => ports !== undefined).length, 1));

    it('has the NVR on a network of it and Postern alone', () => {
      assert.deepEqual(networksOf(services['frigate'] ?? { image: '' }), ['nvr']);
      const there = Object.entries(services).filter(([, service]) => networksOf(service).includes('nvr'));
      const names = new Set(there.map(([name]) => name.replace(/^postern-\d$/, 'postern')));
      assert.deepEqual([...names].sort(), ['frigate', 'postern']);
    });

    it('declares every network, volume and file that a service uses', () => {
      for (const [name, service] of Object.entries(services)) {
        assert.ok(service.image, `${name} has no image`);
        for (const network of networksOf(service)) assert.ok(network in (compose.networks ?? {}), network);
        for (const { source } of service.configs ?? []) assert.ok(compose.configs?.[source]?.content, source);
        const mounted = (service.volumes ?? []).filter((volume) => typeof volume === 'string');
        for (const volume of mounted.map((text) => text.split(':')[0] ?? ''))
          assert.ok(volume.startsWith('/') || volume in (compose.volumes ?? {}), `${name}: ${volume}`);
      }
    });

    it('needs no file that is not in it', () => {
      const mounted = Object.values(services).flatMap(({ volumes = [] }) =>
        volumes.filter((v) => typeof v === 'string'),
      );
      assert.deepEqual(
        mounted.filter((volume) => volume.startsWith('.')),
        [],
      );
    });

    it('has values that are text, as an environment has', () => {
      for (const { environment = {} } of Object.values(services))
        for (const [name, value] of Object.entries(environment)) assert.equal(typeof value, 'string', name);
    });

    it('passes "postern check" without a problem or a warning', async () => {
      const env = { ...postern, POSTERN_FIRST_CONFIG: FIRST_CONFIG };
      const { code, stdout, stderr } = await runPostern(['check'], { env });
      assert.deepEqual([code, stderr], [0, '']);
      // Its PostgreSQL is on another machine, for which a start waits.
      assert.doesNotMatch(stdout, /^warning: (?!.*store\.url: PostgreSQL: )/m);
    });
  });
}

describe(`deploy/compose/${IN_FRONT}`, () => {
  const { services, volumes } = readCompose(IN_FRONT, {});

  it('is the text of README', () => {
    const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
    assert.ok(readme.includes(`\`\`\`yaml\n${composeText(IN_FRONT)}\`\`\``));
  });

  it('takes all ports from Frigate, and changes nothing else of it', () => {
    assert.deepEqual(services['frigate'], { ports: [] });
    assert.match(composeText(IN_FRONT), /^ {4}ports: !reset \[\]/m); // without the tag Compose adds to what is there
  });

  it('has a Postern like that of the whole file', () => {
    const whole = readCompose('frigate.yml', {}).services['postern'];
    assert.deepEqual({ ...whole, ...services['postern'] }, whole);
    assert.deepEqual(Object.keys(volumes ?? {}), ['postern-config']);
  });
});

describe('The postern of deploy/compose/frigate.yml', () => {
  let nvr: FakeNvr;
  let serving: Serving;
  before(async () => {
    nvr = await startFakeNvr();
    const { environment = {} } = readCompose('frigate.yml', GIVEN).services['postern'] ?? {};
    serving = await servePostern({
      directory: newDirectory(),
      env: {
        ...environment,
        POSTERN_FIRST_CONFIG: FIRST_CONFIG,
        POSTERN__NVR__URL: nvr.url, // in the place of http://frigate:5000
        POSTERN__TLS__ENABLED: 'false', // the test's own client does not take the certificate that the start makes
      },
    });
  });
  after(async () => {
    await serving?.end();
    await nvr?.close();
  });

  it('prints a password that logs in, and the NVR is told of an admin', async () => {
    const answer = await fetch(`${serving.url}/api/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ user: 'admin', password: serving.adminPassword }),
    });
    const [cookie = ''] = answer.headers.getSetCookie();
    nvr.received.length = 0;
    await fetch(`${serving.url}/api/version`, { headers: { Cookie: cookie.split(';')[0] ?? '' } });
    assert.deepEqual([nvr.lastHeader('remote-user'), nvr.lastHeader('remote-role')], [['admin'], ['admin']]);
  });

  it('lets no caller past without a login', async () => {
    nvr.received.length = 0;
    assert.equal((await fetch(`${serving.url}/api/version`)).status, 401);
    assert.deepEqual(nvr.received, []);
  });

  it('has no open port beside', async () => assert.doesNotMatch(serving.output.stdout, /internal {2,}http/));

  it('says to the health check of the image that it is alive', async () => {
    const telemetry = new URL(serving.telemetryUrl).host;
    const env = { POSTERN__SERVER__TELEMETRY: telemetry };
    const { code, stderr } = await runPostern(['healthcheck'], { directory: serving.directory, env });
    assert.deepEqual([code, stderr], [0, '']);
  });
});
