/** deploy/compose/sites.yml: the two Posterns start as they stand there, on one store, with one login (SPEC 20). */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { newDirectory, type Serving, servePostern } from '../support/run-postern.ts';
import { until } from '../support/until.ts';
import { networksOf, ROOT, readCompose } from './support/compose.ts';
import { GIVEN } from './support/given.ts';

const FIRST_CONFIG = join(ROOT, 'conf/container.yaml');
const { services } = readCompose('sites.yml', GIVEN);

describe('The Posterns of deploy/compose/sites.yml', () => {
  const nvrs: FakeNvr[] = [];
  const serving: Serving[] = [];
  before(async () => {
    const shared = newDirectory();
    for (const name of ['postern', 'postern-2']) {
      const { environment = {} } = services[name] ?? {};
      const nvr = await startFakeNvr();
      nvr.answer = (_, response) => response.end(JSON.stringify({ cameras: { [`${name}-cam`]: {} } }));
      nvrs.push(nvr);
      // The volume is a directory of the test, and the NVR is at hand.
      const directory = String(environment['POSTERN_CONFIG_DIR']).replace('/config', shared);
      mkdirSync(directory);
      serving.push(
        await servePostern({
          directory,
          env: {
            ...environment,
            POSTERN_FIRST_CONFIG: FIRST_CONFIG,
            POSTERN__STORE__URL: String(environment['POSTERN__STORE__URL']).replace('/config', shared),
            POSTERN__NVR__URL: nvr.url,
          },
        }),
      );
    }
  });
  after(async () => {
    for (const one of serving) await one.end();
    for (const nvr of nvrs) await nvr.close();
  });

  it('have an NVR each, on a network of the two', () => {
    const nets = ['postern-2', 'frigate-2'].map((name) => networksOf(services[name] ?? { image: '' }));
    assert.deepEqual(nets, [['front', 'nvr-2'], ['nvr-2']]);
  });

  it('make one admin, whose login at the one is a login at the other', async () => {
    const [house, barn] = serving;
    assert.ok(house && barn);
    assert.equal(barn.adminPassword, undefined);
    const answer = await fetch(`${house.url}/api/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ user: 'admin', password: house.adminPassword }),
    });
    const [line = ''] = answer.headers.getSetCookie();
    assert.match(line, /; Domain=example\.com;/);
    const headers = { Cookie: line.split(';')[0] ?? '' };
    const sites = async () => (await fetch(`${barn.url}/api/sites`, { headers })).json();
    await until('the barn knows the house', async () => JSON.stringify(await sites()).includes('postern-cam'));
    assert.deepEqual(await sites(), {
      site: 'barn',
      others: [{ name: 'house', url: 'https://house.example.com/', cameras: ['postern-cam'] }],
    });
  });
});
