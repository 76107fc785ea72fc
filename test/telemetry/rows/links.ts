/** Links: each outcome is counted, and decisions by them as such (SPEC 9, 13). */
import { describe, it } from 'node:test';
import { startFakeNvr } from '../../support/fake-nvr.ts';
import { VERA } from '../../support/people.ts';
import { startInstance } from '../../support/start-instance.ts';
import { moves } from '../support/driven.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const WHAT = { snapshot: { camera: 'cam1' } };

describe('Links', () => {
  it('are counted by what became of them', async (t) => {
    const nvr = await startFakeNvr();
    t.after(nvr.close);
    const at = await startInstance({ config: { nvr: { url: nvr.url, cameras: ['cam1'] } } });
    t.after(at.close);
    const token = await at.logIn(VERA);
    const post = (path: string, body: object, by = {}): Promise<Response> =>
      at.ask(path, { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(body), ...by });
    let made = { id: '', url: '' };
    const make = async () => {
      made = (await (await post('/api/links', { what: WHAT, pin: '0815' }, { token })).json()) as typeof made;
    };
    await moves(at, ['links_total'], make, { 'links_total{result="created"}': 1 });
    await moves(at, ['links_total'], () => post(made.url, { pin: '0816' }), { 'links_total{result="pin_wrong"}': 1 });
    let cookie = '';
    const give = async () => {
      [cookie = ''] = (await post(made.url, { pin: '0815' })).headers.getSetCookie();
    };
    await moves(at, ['links_total'], give, { 'links_total{result="pin_right"}': 1 });
    const open = () => at.ask(`${made.url}/snapshot.jpg`, { headers: { cookie: cookie.split(';')[0] ?? '' } });
    await moves(at, ['links_total', 'decisions_total', 'decision_duration_seconds_count'], open, {
      'links_total{result="opened"}': 1,
      'decisions_total{mode="link",result="allow"}': 1,
      'decision_duration_seconds_count{mode="link"}': 1,
    });
    const revoke = () => at.ask(`/api/links/${made.id}`, { method: 'DELETE', token });
    await moves(at, ['links_total'], revoke, { 'links_total{result="revoked"}': 1 });
    await moves(at, ['links_total'], open, { 'links_total{result="refused"}': 1 });
  });
});
