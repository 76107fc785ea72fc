/** From observations to causes: a row for each cause, and a similar observation without it (SPEC 15). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadPolicy } from '../../../src/config/policy/load-policy.ts';
import { judge, linesFor } from '../../../src/features/doctor/cause.ts';
import type { FirstSeen } from '../../../src/features/doctor/examine.ts';
import { INSIDE_CAUSES, type InsideSeen } from '../../../src/features/doctor/inside.ts';
import { PROXY_KINDS } from '../../../src/features/doctor/marks.ts';
import { judgeWay } from '../../../src/features/doctor/report.ts';
import { CERTIFICATE_CAUSES, FIRST_CAUSES, WAY_CAUSES } from '../../../src/features/doctor/way-causes.ts';

const WELL: InsideSeen = {
  nvrFault: null,
  cameras: 2,
  freeBytes: 1e12,
  storeFault: null,
  nvrVersion: '0.18.0-1234abcd',
  policyNvrVersion: '0.18',
  secondFactor: 'optional',
  admins: { withoutFactor: 0, all: 1 },
  providerFaults: [],
  exposed: [],
  openPorts: [],
};

describe('Inside', () => {
  // biome-ignore format: a table
  const rows: [sentence: string, seen: Partial<InsideSeen>, found: readonly string[]][] = [
    ['all is well', {}, []],
    ['there is no NVR', { nvrFault: undefined, cameras: undefined, nvrVersion: undefined }, []],
    ['the NVR does not answer', { nvrFault: 'connect ECONNREFUSED', cameras: undefined, nvrVersion: undefined }, ['error nvr']],
    ['the NVR has no cameras', { cameras: 0 }, ['warning nvr']],
    ['the store does not answer', { storeFault: 'timeout' }, ['error store']],
    ['the disk is nearly full', { freeBytes: 1e8 }, ['warning store']],
    ['the NVR is a later release than the route table', { nvrVersion: '0.19.0-beta1' }, ['warning nvr-version']],
    ['the NVR is a later release by its first number', { nvrVersion: '1.0.0' }, ['warning nvr-version']],
    ['the NVR is an earlier release', { nvrVersion: '0.9.4' }, ['advice nvr-version']],
    ['the NVR is another patch of the same release', { nvrVersion: '0.18.7' }, []],
    ['the NVR says nothing that is a version', { nvrVersion: 'dev' }, []],
    ['the route table is for no release', { policyNvrVersion: undefined, nvrVersion: '0.1.0' }, []],
    ['no second factor is asked for', { secondFactor: 'off' }, ['advice second-factor']],
    ['two providers have a fault', { providerFaults: ['x', 'y'] }, ['error sign-in-provider', 'error sign-in-provider']],
    ['admins have no second factor', { admins: { withoutFactor: 1, all: 2 } }, ['advice second-factor']],
    ['admins have to have one at the next login', { secondFactor: 'admins', admins: { withoutFactor: 1, all: 2 } }, []],
    ['a proxy has the accounts', { secondFactor: undefined }, []],
    ['a port is open at the public address', { openPorts: [{ port: 5000, what: 'x' }] }, ['error nvr-port-open']],
    ['WebRTC may be open on purpose', { openPorts: [{ port: 8555, what: 'x', ask: 'webrtc' }] }, ['warning nvr-port-open']],
    ['two ports answer at the host', { exposed: [5000, 1984].map((port) => ({ port, what: 'x', address: '172.18.0.1' })) }, ['error nvr-port-open', 'error nvr-port-open']],
  ];
  for (const [sentence, seen, found] of rows)
    it(sentence, () =>
      assert.deepEqual(
        judge(INSIDE_CAUSES, { ...WELL, ...seen }).map(({ level, name }) => `${level} ${name}`),
        found,
      ),
    );
});

describe('A route table', () => {
  it('says for which release of the NVR it is, and so does one that extends it', async () => {
    const policy = await loadPolicy('frigate', '.');
    assert.equal(policy.kind === 'loaded' && policy.head.nvr, '0.18');
  });
});

/** The signs of one cause stand together. */
const namesIn = (causes: readonly { readonly name: string }[]): readonly string[] =>
  causes.map(({ name }) => name).filter((name, at, all) => name !== all[at - 1]);
const WAY = [...namesIn(FIRST_CAUSES), ...namesIn(CERTIFICATE_CAUSES), ...namesIn(WAY_CAUSES)];

describe('The table of causes', () => {
  it('names each once, and 30 at most', () => {
    const names = [...WAY, ...namesIn(INSIDE_CAUSES)];
    assert.deepEqual([...new Set(names)], names);
    assert.ok(names.length <= 30, `${names.length} causes`);
  });

  it('has a line to change for each proxy that can have the fault', () => {
    /** Causes that are cured elsewhere than at a proxy: in the configuration, the network, or the clock. */
    const elsewhere = /^(?:unreachable|login-in-front|base-path-differs|clock-differs|proxy-not-trusted)$/;
    const gaps = WAY.filter((name) => !elsewhere.test(name)).flatMap((name) =>
      PROXY_KINDS.filter((proxy) => linesFor(name, proxy).length === 0).map((proxy) => `${name} ${proxy}`),
    );
    assert.deepEqual(gaps, []);
  });
});

describe('A first probe', () => {
  const NOW = 1_800_000_000;
  const DAY = 86_400;
  const WELL_TLS = { fault: undefined, endsAt: NOW + 60 * DAY, offersHttp2: true, certificate: '' };
  const answered = (status: number, body = '', headers: Record<string, string[]> = {}): FirstSeen['reach'] => ({
    kind: 'answered',
    status,
    headers,
    body,
    localPort: 1,
  });
  const first = (seen: Partial<FirstSeen>): FirstSeen => ({
    url: { protocol: 'https:', host: 'nvr.example.com', prefix: '' },
    now: NOW,
    identityHeaders: [],
    reach: answered(200, '{"service":"postern"}'),
    tls: WELL_TLS,
    seen: undefined,
    ...seen,
  });
  // biome-ignore format: a table
  const rows: [sentence: string, seen: Partial<FirstSeen>, found: readonly string[]][] = [
    ['that nothing answers',                     { reach: { kind: 'failed', code: 'ECONNREFUSED', message: '' }, tls: undefined }, ['error unreachable']],
    ['that is answered by a port for HTTPS',     { reach: answered(400, 'The plain HTTP request was sent to HTTPS port') }, ['error bad-gateway']],
    ['that another program answers',             { reach: answered(200, 'hello') }, ['error not-postern']],
    ['whose token is not known',                 { reach: answered(401, '{"success":false}') }, ['error authorization-lost']],
    ['that is sent to a login page',             { reach: answered(302, '', { location: ['https://auth.example.com/'] }) }, ['warning login-in-front']],
    ['by a certificate that ended',              { tls: { ...WELL_TLS, endsAt: NOW - DAY, fault: 'certificate has expired' } }, ['error certificate']],
    ['by a certificate that ends soon',          { tls: { ...WELL_TLS, endsAt: NOW + 3 * DAY } }, ['warning certificate']],
    ['by a certificate for another name',        { tls: { ...WELL_TLS, fault: 'ERR_TLS_CERT_ALTNAME_INVALID' } }, ['error certificate']],
    ['by a certificate that nobody vouches for', { tls: { ...WELL_TLS, fault: 'self-signed certificate' } }, ['warning certificate']],
  ];
  for (const [sentence, seen, found] of rows)
    it(sentence, () =>
      assert.deepEqual(
        judgeWay(first(seen)).map(({ level, name }) => `${level} ${name}`),
        found,
      ),
    );
});
