/** Decisions on screens are counted as such (SPEC 9, 18). */
import { describe, it } from 'node:test';
import { startFakeNvr } from '../../support/fake-nvr.ts';
import { VERA } from '../../support/people.ts';
import { pairScreen } from '../../support/screens.ts';
import { startInstance } from '../../support/start-instance.ts';
import { moves } from '../support/driven.ts';

describe('Screens', () => {
  it('are a kind of credential of their own', async (t) => {
    const nvr = await startFakeNvr();
    t.after(nvr.close);
    const at = await startInstance({ config: { nvr: { url: nvr.url, cameras: ['cam1'] } } });
    t.after(at.close);
    const { cookie } = await pairScreen(at, await at.logIn(VERA));
    const look = () => at.ask('/api/cam1/latest.jpg', { headers: { cookie } });
    await moves(at, ['decisions_total', 'decision_duration_seconds_count'], look, {
      'decisions_total{mode="screen",result="allow"}': 1,
      'decision_duration_seconds_count{mode="screen"}': 1,
    });
  });
});
