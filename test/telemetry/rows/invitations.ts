/** The webhook: each notice is counted by whether it was taken (SPEC 9, 12). */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { ADMIN_PERSON } from '../../support/people.ts';
import { startInstance } from '../../support/start-instance.ts';
import { moves } from '../support/driven.ts';

const PASSWORD = 'MagnesiumLamp77!';
const JSON_TYPE = { 'content-type': 'application/json' };

describe('Notices of invitations', () => {
  it('are counted by whether the webhook took them', async (t) => {
    let status = 204;
    const receiver = createServer((request, response) =>
      request.resume().on('end', () => response.writeHead(status).end()),
    );
    t.after(() => receiver.close());
    await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
    const webhook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    const at = await startInstance({ config: { notify: { webhook }, ledger: { retention: 0 } } });
    t.after(at.close);
    const token = await at.logIn(ADMIN_PERSON);
    const path = '/api/users/vera/invitation';
    const post = (where: string, body: object): Promise<Response> =>
      at.ask(where, { method: 'POST', token, headers: JSON_TYPE, body: JSON.stringify(body) });
    const families = ['webhook_notices_total'];
    const sent = { 'webhook_notices_total{result="sent"}': 1 };
    let url = '';
    const make = async () => {
      ({ url } = (await (await post(path, {})).json()) as { url: string });
    };
    await moves(at, families, make, sent);
    const accept = () =>
      at.ask(url, { method: 'POST', headers: JSON_TYPE, body: JSON.stringify({ password: PASSWORD }) });
    await moves(at, families, accept, sent);
    status = 404;
    const failed = { 'webhook_notices_total{result="failed"}': 1 };
    await moves(at, families, make, failed);
  });
});
