/** Decisions by links are counted as such (SPEC 9, 13). */
import { describe, it } from 'node:test';
import { startFakeNvr } from '../../support/fake-nvr.ts';
import { VERA } from '../../support/people.ts';
import { startInstance } from '../../support/start-instance.ts';
import { moves } from '../support/driven.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const WHAT = { snapshot: { camera: 'cam1' } };

describe('Links', () => {
  it('are a kind of credential of their own', async (t) => {
    const nvr = await startFakeNvr();
    t.after(nvr.close);
    const at = await startInstance({ config: { nvr: { url: nvr.url, cameras: ['cam1'] } } });
    t.after(at.close);
    const body = JSON.stringify({ what: WHAT });
    const token = await at.logIn(VERA);
    const made = await at.ask('/api/links', { method: 'POST', headers: JSON_TYPE, body, token });
    const { url } = (await made.json()) as { url: string };
    await moves(at, ['decisions_total', 'decision_duration_seconds_count'], () => at.ask(`${url}/snapshot.jpg`), {
      'decisions_total{mode="link",result="allow"}': 1,
      'decision_duration_seconds_count{mode="link"}': 1,
    });
  });
});
