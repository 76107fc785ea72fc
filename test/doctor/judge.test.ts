/** From observations to causes: a row for each cause, and a similar observation without it (SPEC 15). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadPolicy, policyDigest } from '../../src/config/policy/load-policy.ts';
import { PROXY_KINDS } from '../../src/doctor/cause.ts';
import { CAUSES, judge, judgeInside, linesFor } from '../../src/doctor/judge.ts';
import type { InsideSeen, Observations } from '../../src/doctor/observations.ts';
import { PROXY_LINES } from '../../src/doctor/proxy-lines.ts';

const WELL: InsideSeen = {
  nvrFault: null,
  cameras: 2,
  camerasAlike: [],
  freeBytes: 1e12,
  storeFault: null,
  nvrVersion: '0.18.0-1234abcd',
  policyNvrVersion: '0.18',
  customRolesSince: '0.17',
  secondFactor: 'optional',
  admins: { withoutFactor: 0, all: 1 },
  idlePasskeys: undefined,
  providerFaults: [],
  exposed: [],
  openPorts: [],
};

describe('Inside', () => {
  // biome-ignore format: a table
  const rows: [sentence: string, seen: Partial<InsideSeen>, found: readonly string[]][] = [
    ['all is well', {}, []],
    ['there is no NVR', { nvrFault: undefined, cameras: undefined, nvrVersion: undefined }, []],
    ['the NVR does not answer', { nvrFault: 'connect ECONNREFUSED', cameras: undefined, nvrVersion: undefined }, ['error nvr-unreachable']],
    ['the NVR has no cameras', { cameras: 0 }, ['warning no-cameras']],
    ['the name of a camera is the beginning of another one', { camerasAlike: ['front and front-door'] }, ['warning camera-names-alike']],
    ['the store does not answer', { storeFault: 'timeout' }, ['error store-unreachable']],
    ['the disk is nearly full', { freeBytes: 1e8 }, ['warning disk-full']],
    ['the NVR is a later release than the route table', { nvrVersion: '0.19.0-beta1' }, ['warning nvr-newer']],
    ['the NVR is a later release by its first number', { nvrVersion: '1.0.0' }, ['warning nvr-newer']],
    ['the NVR is an earlier release', { nvrVersion: '0.9.4' }, ['advice nvr-older']],
    ['the NVR is another patch of the same release', { nvrVersion: '0.18.7' }, []],
    ['the NVR says nothing that is a version', { nvrVersion: 'dev' }, []],
    ['the route table is for no release', { policyNvrVersion: undefined, nvrVersion: '0.1.0' }, []],
    ['no second factor is asked for', { secondFactor: 'off' }, ['advice second-factor-off']],
    ['passkeys are of no address', { idlePasskeys: { users: 2, why: 'x' } }, ['warning passkeys-idle']],
    ['a provider does not answer', { providerFaults: [{ provider: 'home', kind: 'away', why: 'x' }] }, ['error provider-unreachable']],
    ['a provider answers otherwise', { providerFaults: [{ provider: 'home', kind: 'unfit', why: 'x' }] }, ['error provider-unfit']],
    ['a provider has no keys and another time', { providerFaults: [{ provider: 'home', kind: 'clock', why: 'x' }, { provider: 'home', kind: 'keys', why: 'x' }] }, ['error provider-keys', 'error provider-clock-differs']],
    ['two providers refuse the client', { providerFaults: ['home', 'work'].map((provider) => ({ provider, kind: 'client', why: 'x' })) }, ['error provider-refuses-client', 'error provider-refuses-client']],
    ['admins have no second factor', { admins: { withoutFactor: 1, all: 2 } }, ['advice admins-without-factor']],
    ['admins have to have one at the next login', { secondFactor: 'admins', admins: { withoutFactor: 1, all: 2 } }, []],
    ['a proxy has the accounts', { secondFactor: undefined }, []],
    ['a port is open at the public address', { openPorts: [{ port: 5000, what: 'x' }] }, ['error nvr-port-open']],
    ['WebRTC may be open on purpose', { openPorts: [{ port: 8555, what: 'x', ask: 'webrtc' }] }, ['warning webrtc-port-open']],
    ['two ports answer at the host', { exposed: [5000, 1984].map((port) => ({ port, what: 'x', address: '172.18.0.1' })) }, ['error nvr-port-exposed', 'error nvr-port-exposed']],
  ];
  for (const [sentence, seen, found] of rows)
    it(sentence, () =>
      assert.deepEqual(
        judgeInside({ ...WELL, ...seen }).map(({ level, name }) => `${level} ${name}`),
        found,
      ),
    );
});

describe('The build that answers', () => {
  const own = { version: '1.0.0', policy: 'aa' };
  const foundOf = (version: string, policy: string): readonly string[] => {
    const cause = (name: string) => CAUSES.find((one) => one.name === name) ?? assert.fail(name);
    const seen = { own, seen: { build: { version, policy } } } as unknown as Observations;
    return ['other-version', 'policy-not-in-force'].filter((name) => cause(name).sign(seen) !== undefined);
  };
  it('is this one', () => assert.deepEqual(foundOf('1.0.0', 'aa'), []));
  it('is another version', () => assert.deepEqual(foundOf('0.9.0', 'bb'), ['other-version']));
  it('judges by another route table', () => assert.deepEqual(foundOf('1.0.0', 'bb'), ['policy-not-in-force']));
});

describe('A route table', () => {
  it('says for which release of the NVR it is, and so does one that extends it', async () => {
    const policy = await loadPolicy('frigate', '.');
    assert.equal(policy.kind === 'loaded' && policy.head.nvr, '0.18');
  });

  it('has another digest with any row changed, and the same wherever its file is', async () => {
    const policy = await loadPolicy('strict', '.');
    assert.ok(policy.kind === 'loaded');
    const [first, ...rest] = policy.rows;
    assert.ok(first);
    assert.equal(policyDigest([{ ...first, file: 'elsewhere.yaml', line: 1 }, ...rest]), policyDigest(policy.rows));
    assert.notEqual(policyDigest([{ ...first, access: 'none' }, ...rest]), policyDigest(policy.rows));
  });
});

describe('The table of causes', () => {
  it('names each once', () => {
    const names = CAUSES.map(({ name }) => name);
    assert.deepEqual([...new Set(names)], names);
  });

  it('has a line to change for each proxy that can have the fault', () => {
    /** Causes that are cured elsewhere than at a proxy: in the configuration, the network, the clock, or a certificate. */
    const elsewhere =
      /^(?:unreachable|login-in-front|base-path-.*|certificate-(?:ended|ends-soon|name)|not-encrypted|other-version|policy-not-in-force|.*clock-differs|proxy-not-trusted)$/;
    // biome-ignore format: a table
    const cannot: Readonly<Record<string, readonly string[]>> = {
      'http-1-0':       ['caddy', 'traefik', 'haproxy', 'cloudflare'], // they speak HTTP/1.1 or newer to the server behind
      buffered:         ['cloudflare'],                                // passes responses on as they come
      'buffered-files': ['cloudflare'],
    };
    const gaps = CAUSES.filter(({ name }) => !elsewhere.test(name)).flatMap((cause) =>
      PROXY_KINDS.filter((proxy) => !cannot[cause.name]?.includes(proxy) && linesFor(cause, proxy).length === 0).map(
        (proxy) => `${cause.name} ${proxy}`,
      ),
    );
    assert.deepEqual(gaps, []);
    const names = CAUSES.map(({ name }) => name);
    assert.deepEqual(
      Object.keys(PROXY_LINES).filter((name) => !names.includes(name)),
      [],
    );
  });

  it('says of an address that nothing answers at nothing more than that', () => {
    const reach = { kind: 'failed', code: 'ECONNREFUSED', message: '' } as const;
    const url = { protocol: 'https:', host: 'nvr.example.com', prefix: '' } as const;
    const seen = {
      url,
      reach,
      now: 0,
      own: { version: '', policy: '' },
      identityHeaders: [],
    } as unknown as Observations;
    assert.deepEqual(
      judge(seen, undefined).map(({ name }) => name),
      ['unreachable'],
    );
  });
});
