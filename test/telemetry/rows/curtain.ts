/** The curtain: how many cameras are behind it (SPEC 9, 19). */
import { describe, it } from 'node:test';
import { ADMIN_PERSON } from '../../support/people.ts';
import { sendJson } from '../../support/second-factor.ts';
import { startInstance } from '../../support/start-instance.ts';
import { moves } from '../support/driven.ts';

describe('The curtain', () => {
  it('is counted by the cameras of the NVR, until it opens by itself', async (t) => {
    const at = await startInstance({ config: { nvr: { cameras: ['cam1', 'cam2', 'hall'] } } });
    t.after(at.close);
    const token = await at.logIn(ADMIN_PERSON);
    const until = Math.floor(at.clock.now() / 1000) + 60;
    const body = { cameras: ['cam*', 'cam1', 'garage'], until };
    await moves(at, ['curtain_cameras'], () => sendJson(at, '/api/curtain', body, token, 'PUT'), {
      curtain_cameras: 2,
    });
    await moves(at, ['curtain_cameras'], async () => at.clock.advance(60), { curtain_cameras: -2 });
  });
});
