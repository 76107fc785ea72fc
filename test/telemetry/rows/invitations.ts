/** Invitations and the webhook: each outcome is counted (SPEC 9, 12). */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { ADMIN_PERSON } from '../../support/people.ts';
import { startInstance } from '../../support/start-instance.ts';
import { moves } from '../support/driven.ts';

const PASSWORD = 'MagnesiumLamp77!';
const JSON_TYPE = { 'content-type': 'application/json' };

describe('Invitations', () => {
  it('are counted by what became of them, and the notices of them by whether the webhook took them', async (t) => {
    let status = 204;
    const receiver = createServer((request, response) =>
      request.resume().on('end', () => response.writeHead(status).end()),
    );
    t.after(() => receiver.close());
    await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
    const webhook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    const at = await startInstance({ config: { notify: { webhook }, ledger: { enabled: false } } });
    t.after(at.close);
    const token = await at.logIn(ADMIN_PERSON);
    const path = '/api/users/vera/invitation';
    const post = (where: string, body: object): Promise<Response> =>
      at.ask(where, { method: 'POST', token, headers: JSON_TYPE, body: JSON.stringify(body) });
    const families = ['invitations_total', 'webhook_notices_total'];
    const sent = { 'webhook_notices_total{result="sent"}': 1 };
    let url = '';
    const make = async () => {
      ({ url } = (await (await post(path, {})).json()) as { url: string });
    };
    await moves(at, families, make, { 'invitations_total{result="made"}': 1, ...sent });
    const accept = () =>
      at.ask(url, { method: 'POST', headers: JSON_TYPE, body: JSON.stringify({ password: PASSWORD }) });
    await moves(at, families, accept, { 'invitations_total{result="used"}': 1, ...sent });
    await moves(at, families, accept, { 'invitations_total{result="refused"}': 1 });
    status = 404;
    const failed = { 'webhook_notices_total{result="failed"}': 1 };
    await moves(at, families, make, { 'invitations_total{result="made"}': 1, ...failed });
    await moves(at, families, () => at.ask(path, { method: 'DELETE', token }), {
      'invitations_total{result="revoked"}': 1,
    });
  });
});
