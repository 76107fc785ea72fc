/** An NVR that cannot be reached, each time for another reason, and proxies whose users have roles (SPEC 6, 9). */
import { describe, it, type TestContext } from 'node:test';
import { startFakeNvr } from '../../support/fake-nvr.ts';
import { type ConfigTree, type Runtime, startInstance } from '../../support/start-instance.ts';
import { moves } from '../support/driven.ts';

async function started(t: TestContext, config: ConfigTree): Promise<Runtime> {
  const instance = await startInstance({ config, people: [] });
  t.after(instance.close);
  return instance;
}

describe('The NVR', () => {
  // biome-ignore format: a table
  const UNREACHED: [reason: string, url: (port: number) => string][] = [
    ['tls',   (port) => `https://127.0.0.1:${port}`],
    ['dns',   () => 'http://there-is-no-such-host.invalid:5000'],
    ['other', () => 'unix:/dev/null/socket'],
  ];
  for (const [reason, url] of UNREACHED) {
    it(`that does not answer: ${reason}`, async (t) => {
      const nvr = await startFakeNvr();
      t.after(nvr.close);
      const instance = await started(t, { nvr: { url: url(nvr.port), cameras: ['cam1'] } });
      await moves(instance, ['upstream_errors_total'], () => fetch(`${instance.internalUrl}/api/version`), {
        [`upstream_errors_total{reason="${reason}"}`]: 1,
      });
    });
  }

  it('that takes too long to answer', async (t) => {
    const nvr = await startFakeNvr();
    t.after(nvr.close);
    const instance = await started(t, { nvr: { url: nvr.url, cameras: ['cam1'], timeout_response: 1 } });
    nvr.answer = () => {};
    await moves(instance, ['upstream_errors_total'], () => fetch(`${instance.internalUrl}/api/version`), {
      'upstream_errors_total{reason="timeout"}': 1,
    });
  });
});

describe('A proxy in front', () => {
  it('names roles as they are here, or none', async (t) => {
    const instance = await started(t, {
      nvr: { cameras: ['cam1'] },
      auth: { enabled: false, trusted_proxies: ['127.0.0.1'] },
      proxy: { header_map: { user: 'Remote-User', role: 'Remote-Groups' }, default_role: 'viewer' },
    });
    const families = ['proxy_role_total', 'decision_duration_seconds_count'];
    const ask = (headers: Record<string, string>) => instance.ask('/api/profile', { headers });
    await moves(
      instance,
      families,
      async () => {
        await ask({ 'remote-user': 'ann', 'remote-groups': 'admin' });
        await ask({ 'remote-user': 'bob' });
      },
      {
        'proxy_role_total{source="direct",role="admin"}': 1,
        'proxy_role_total{source="default",role="viewer"}': 1,
        'decision_duration_seconds_count{mode="proxy"}': 2,
      },
    );
  });
});
