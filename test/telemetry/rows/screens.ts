/** Screens: each outcome is counted, and decisions on them as such (SPEC 9, 18). */
import { describe, it } from 'node:test';
import { startFakeNvr } from '../../support/fake-nvr.ts';
import { VERA } from '../../support/people.ts';
import { beginPairing, pairScreen } from '../../support/screens.ts';
import { sendJson } from '../../support/second-factor.ts';
import { startInstance } from '../../support/start-instance.ts';
import { moves } from '../support/driven.ts';

describe('Screens', () => {
  it('are counted by what became of them', async (t) => {
    const nvr = await startFakeNvr();
    t.after(nvr.close);
    const at = await startInstance({ config: { nvr: { url: nvr.url, cameras: ['cam1'] } } });
    t.after(at.close);
    const token = await at.logIn(VERA);
    let [id, cookie] = ['', ''];
    const pair = async () => {
      ({ id, cookie } = await pairScreen(at, token));
    };
    await moves(at, ['screens_total'], pair, { 'screens_total{result="paired"}': 1 });
    const look = () => at.ask('/api/cam1/latest.jpg', { headers: { cookie } });
    await moves(at, ['decisions_total', 'decision_duration_seconds_count'], look, {
      'decisions_total{mode="screen",result="allow"}': 1,
      'decision_duration_seconds_count{mode="screen"}': 1,
    });
    const { user_code } = await beginPairing(at);
    const foreign = () => sendJson(at, '/api/screens/confirm', { user_code, name: '' }, token);
    await moves(at, ['screens_total'], foreign, { 'screens_total{result="refused"}': 1 });
    const deny = () => sendJson(at, '/api/screens/deny', { user_code }, token);
    await moves(at, ['screens_total'], deny, { 'screens_total{result="denied"}': 1 });
    const rename = () => sendJson(at, `/api/screens/${id}`, { name: 'kitchen' }, token, 'PATCH');
    await moves(at, ['screens_total'], rename, { 'screens_total{result="changed"}': 1 });
    const revoke = () => at.ask(`/api/screens/${id}`, { method: 'DELETE', token });
    await moves(at, ['screens_total'], revoke, { 'screens_total{result="revoked"}': 1 });
  });
});
