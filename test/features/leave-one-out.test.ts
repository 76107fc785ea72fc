/** Postern works without each of its features and its keys: its routes answer 404, and the NVR receives nothing of them. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { FEATURES } from '../../src/features/all.ts';
import { listOperations } from '../../src/routes/own-route.ts';
import { answerLikeAnNvr, type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL } from '../support/people.ts';
import { rawRequest } from '../support/raw-request.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';

const upgradeTo = (path: string, port: number, token: string): string =>
  [
    `GET ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    `Origin: http://127.0.0.1:${port}`,
    `Authorization: Bearer ${token}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    '\r\n',
  ].join('\r\n');

for (const { name, load } of FEATURES) {
  const { keys = {}, routes = [] } = (await load?.()) ?? {};
  describe(`Postern without the feature ${name}`, () => {
    const features = FEATURES.filter((feature) => feature.name !== name);
    let nvr: FakeNvr;
    let instance: Runtime;
    before(async () => {
      nvr = await startFakeNvr();
      nvr.answer = answerLikeAnNvr;
      instance = await startInstance({ config: { nvr: { url: nvr.url, cameras: ['cam1', 'cam2'] } }, features });
    });
    after(async () => {
      await instance?.close();
      await nvr?.close();
    });

    it('starts, logs in, forwards and narrows', async () => {
      const [admin, carl] = [await instance.logIn(ADMIN_PERSON), await instance.logIn(CARL)];
      nvr.received.length = 0;
      const statuses = await Promise.all([
        instance.ask('/api/cam2/latest.jpg', { token: admin }).then(({ status }) => status),
        instance.ask('/api/cam2/latest.jpg', { token: carl }).then(({ status }) => status),
      ]);
      await instance.ask('/api/events', { token: carl });
      assert.deepEqual(statuses, [200, 403]);
      assert.deepEqual(
        nvr.received.map(({ target }) => target),
        ['/api/cam2/latest.jpg', '/api/events?cameras=cam1'],
      );
    });

    for (const section of Object.keys(keys))
      it(`refuses a configuration with its keys ${section}.*`, () =>
        assert.rejects(
          async () => (await startInstance({ config: { [section]: {} }, features, people: [] })).close(),
          new RegExp(`^Error: config\\.yaml:.* ${section}: unknown key`),
        ));

    it('answers 404 to its routes, of which the NVR receives nothing', async () => {
      const token = await instance.logIn(ADMIN_PERSON);
      const before = nvr.received.length;
      const port = Number(new URL(instance.url).port);
      const operations = routes
        .filter(({ summary }) => summary !== undefined)
        .flatMap(({ route }) => listOperations(route))
        .map(({ method, path }) => ({ method, path: path.replaceAll(/\{[^}]*\}/g, 'seen') }));
      const statuses = await Promise.all(
        operations.map(async ({ method, path }) => [
          `${method} ${path}`,
          (await instance.ask(path, { method, token, headers: { origin: instance.url } })).status,
          (await rawRequest(port, upgradeTo(path, port, token))).status,
        ]),
      );
      assert.deepEqual(
        statuses,
        operations.map(({ method, path }) => [`${method} ${path}`, 404, 404]),
      );
      assert.deepEqual(nvr.received.slice(before), []);
    });
  });
}
