/** Ports of the NVR that are open, at the public address or at the addresses of this machine: which are told, and which are not (SPEC 15). */
import assert from 'node:assert/strict';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { loadPolicy } from '../../../src/config/policy/load-policy.ts';
import type { TableHead } from '../../../src/config/policy/table-head.ts';
import type { Settings } from '../../../src/config/schema/schema.ts';
import {
  type KnownPort,
  openPorts,
  outsideAddresses,
  portsToLookAt,
  publicPorts,
} from '../../../src/features/doctor/ports.ts';
import { createReport, formatReport } from '../../../src/features/doctor/report.ts';
import type { NetworkSurroundings } from '../../../src/features/feature.ts';
import { type FakeNvr, startFakeNvr } from '../../support/fake-nvr.ts';
import { rawRequest } from '../../support/raw-request.ts';
import { type Runtime, startInstance } from '../../support/start-instance.ts';
import { until } from '../../support/until.ts';

async function listening<Some extends Server>(server: Some): Promise<Some & { readonly port: number }> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(server, { port: (server.address() as AddressInfo).port });
}

const frigate = await loadPolicy('frigate', '.');
const HEAD = frigate.kind === 'loaded' ? frigate.head : {};
/** With `nvr.url` and `server.internal` at those ports. */
const portsWith = (
  tableHead: TableHead,
  internal?: number,
  nvr?: number,
  look = portsToLookAt,
): readonly KnownPort[] => {
  const url = nvr === undefined ? undefined : { kind: 'tcp', port: nvr };
  const server = { internal: internal === undefined ? false : { port: internal } };
  return look({ settings: { nvr: { url }, server } as Settings, tableHead });
};
const PORTS = portsWith(HEAD);

const known = (port: number): KnownPort =>
  PORTS.find((one) => one.port === port) ?? assert.fail(`${port} is not looked at`);
/** What is known of the first port, asked at the second. */
const at = (port: number, where: number): KnownPort => ({ ...known(port), port: where });

const FRIGATE_LOGIN = '<!doctype html><html><head><title>Frigate</title></head></html>';

describe('A port that is open', () => {
  let nvr: FakeNvr;
  let instance: Runtime;
  const servers: Server[] = [];
  const raw = async (answer: string | undefined): Promise<number> => {
    const server = await listening(
      createServer((socket) => {
        socket.on('error', () => {});
        socket.once('data', () => (answer === undefined ? undefined : socket.end(answer, 'latin1')));
      }),
    );
    servers.push(server);
    return server.port;
  };
  before(async () => {
    nvr = await startFakeNvr();
    instance = await startInstance({ config: { nvr: { url: nvr.url }, ui: { login: 'nvr' } } });
  });
  after(async () => {
    for (const server of servers) server.close();
    await instance?.close();
    await nvr?.close();
  });

  it('is one of 5000, 1984, 8554, 8555 and 8971', () =>
    assert.deepEqual([...new Set(PORTS.map(({ port }) => port))], [5000, 1984, 8554, 8555, 8971]));

  it('may be the internal listener at any port', async () => {
    const [found] = await openPorts('127.0.0.1', portsWith(HEAD, instance.internalPort).slice(PORTS.length));
    assert.match(found?.what ?? '', /^the internal listener of Postern/);
    assert.deepEqual(await openPorts('127.0.0.1', portsWith(HEAD, instance.port).slice(PORTS.length)), []);
    assert.deepEqual(portsWith(HEAD, 5000), PORTS);
  });

  it('is that of the NVR and of the internal listener where the route table names none', async () => {
    assert.deepEqual(portsWith({}), []);
    const found = await openPorts('127.0.0.1', portsWith({}, instance.internalPort, nvr.port));
    assert.deepEqual(
      found.map(({ port }) => port),
      [nvr.port, instance.internalPort],
    );
    assert.match(found[1]?.what ?? '', /^the internal listener of Postern/);
  });

  it("is never the web server in front at the public address, where the table says nothing of the NVR's answer", async () => {
    const front = await listening(createHttpServer((_request, response) => response.end('<title>Welcome</title>')));
    const beside = await listening(createHttpServer((_request, response) => response.end('<title>Other</title>')));
    servers.push(front, beside);
    const looked = portsWith({}, beside.port, front.port, publicPorts);
    assert.deepEqual(await openPorts('127.0.0.1', looked), []);
    const known = portsWith(HEAD, undefined, nvr.port, publicPorts).slice(PORTS.length);
    assert.deepEqual(
      (await openPorts('127.0.0.1', known)).map(({ port }) => port),
      [nvr.port],
    );
  });

  it('is told by what answers there', async () => {
    const frigate = await listening(createHttpServer((_request, response) => response.end(FRIGATE_LOGIN)));
    const page = await listening(createHttpServer((_request, response) => response.end('<title>Other</title>')));
    servers.push(frigate, page);
    const [silent, web, rtsp] = [
      await raw(undefined),
      await raw('HTTP/1.1 400 Bad\r\n\r\n'),
      await raw('RTSP/1.0 200\r\n'),
    ];
    const login = (port: number): KnownPort => ({
      ...known(8971),
      port,
      ask: { protocol: 'http:', path: '/login', isTold: /<title>Frigate/ },
    });
    // biome-ignore format: a table
    const rows: [sentence: string, port: KnownPort, what: string | undefined][] = [
      ['the open port of the NVR',                at(5000, nvr.port),              known(5000).what],
      ['the internal listener of Postern',        at(5000, instance.internalPort), 'the internal listener of Postern: every caller is an admin there'],
      ['the authenticated listener of Postern',   at(5000, instance.port),         undefined],
      ['RTSP',                                    at(8554, rtsp),                  known(8554).what],
      ['no RTSP',                                 at(8554, nvr.port),              undefined],
      ['a stream server that waits',              at(8555, silent),                known(8555).what],
      ['a web server in the place of WebRTC',     at(8555, web),                   undefined],
      ["the NVR's own login",                     login(frigate.port),             known(8971).what],
      ['a page of another program',               login(page.port),                undefined],
      ["Postern, which shows the NVR's login page", login(instance.port),          undefined],
      ['a closed port',                           at(5000, 1),                     undefined],
    ];
    const found = await Promise.all(rows.map(async ([, port]) => (await openPorts('127.0.0.1', [port]))[0]?.what));
    assert.deepEqual(
      rows.map(([sentence], index) => [sentence, found[index]]),
      rows.map(([sentence, , what]) => [sentence, what]),
    );
  });

  it("is told as Postern's where it refuses the name by which it is asked", async () => {
    const request = `GET /api/version HTTP/1.1\r\nHost: nvr.example.com\r\nConnection: close\r\n\r\n`;
    const { status, text } = await rawRequest(instance.internalPort, request);
    assert.equal(status, 403);
    const port = await raw(text);
    const [open] = await openPorts('127.0.0.1', [at(5000, port)]);
    assert.match(open?.what ?? '', /^the internal listener of Postern/);
  });
});

describe('A port that is closed', () => {
  it('is named in the report of the public address, where no other machine asks', async () => {
    const open = await listening(createHttpServer((_, response) => response.end('0.18.0')));
    const gone = await listening(createServer());
    gone.close();
    const inside = async () => ({
      nvrFault: undefined,
      cameras: undefined,
      freeBytes: undefined,
      storeFault: null,
      nvrVersion: undefined,
      policyNvrVersion: undefined,
      secondFactor: undefined,
      admins: undefined,
      providerFaults: [],
      exposed: [],
    });
    const options = { token: '', identityHeaders: [], headers: {}, ca: undefined, silence: 1 };
    const ports = [at(5000, open.port), at(8554, gone.port)];
    const report = (host: string) =>
      createReport({ ...options, url: new URL(`http://${host}:1/`), ports, inside, now: () => 0 });
    const seen = await report('0.0.0.0'); // not a name of this machine alone
    open.close();
    assert.ok(seen.findings.some(({ name }) => name === 'nvr-port-open'));
    assert.deepEqual(seen.closed, [gone.port]);
    assert.ok(formatReport(seen).includes(`does not answer from here at the ports ${gone.port}\n`));
    assert.equal((await report('localhost')).closed, undefined);
  });
});

const LOOPBACK = { name: 'lo', address: '127.0.0.1', cidr: '127.0.0.1/8', internal: true };
const LAN = { name: 'eth0', address: '192.168.1.5', cidr: '192.168.1.5/24', internal: false };
const BRIDGE = { name: 'br-1a2b', address: '172.18.0.1', cidr: '172.18.0.1/16', internal: false };
const INSIDE = { name: 'eth0', address: '172.18.0.5', cidr: '172.18.0.5/16', internal: false };
const ROUTES = 'Iface\tDestination\tGateway \tFlags\neth0\t000012AC\t00000000\t0001\neth0\t00000000\t010012AC\t0003\n';

describe('Addresses where other machines may reach the NVR', () => {
  const machine: NetworkSurroundings = {
    isContainer: false,
    interfaces: [LOOPBACK, LAN, BRIDGE],
    routes: ROUTES,
    nvrAddress: '127.0.0.1',
  };
  const container: NetworkSurroundings = {
    isContainer: true,
    interfaces: [LOOPBACK, INSIDE],
    routes: ROUTES,
    nvrAddress: '172.18.0.2',
  };
  const none = { own: [], others: [] };
  // biome-ignore format: a table
  const rows: [sentence: string, around: NetworkSurroundings, own: readonly string[], others: readonly string[]][] = [
    ['of a machine: its own, without those of bridges between containers', machine,                              ['192.168.1.5'], []],
    ['of a machine whose NVR is another one on its network',        { ...machine, nvrAddress: '192.168.1.10' },  ['192.168.1.5'], ['192.168.1.10']],
    ['of a machine whose NVR is at its own address',                { ...machine, nvrAddress: '192.168.1.5' },   ['192.168.1.5'], []],
    ['of a machine whose NVR is a container',                       { ...machine, nvrAddress: '172.18.0.2' },    ['192.168.1.5'], []],
    ['of a container: its own and its host',                        container,                                   ['172.18.0.5'],  ['172.18.0.1']],
    ['of a container whose NVR is published on its host',           { ...container, nvrAddress: '172.18.0.1' },  ['172.18.0.5'],  ['172.18.0.1']],
    ['of a container whose NVR is on another machine',              { ...container, nvrAddress: '192.168.1.10' }, ['172.18.0.5'], ['172.18.0.1', '192.168.1.10']],
    ['of a container whose NVR is on another machine, by IPv6',     { ...container, nvrAddress: 'fd00::9' },     ['172.18.0.5'],  ['172.18.0.1', 'fd00::9']],
    ['of a container without a default route',                      { ...container, routes: '' },                ['172.18.0.5'],  []],
  ];
  for (const [sentence, around, own, others] of rows)
    it(sentence, () => assert.deepEqual(outsideAddresses(around), { ...none, own, others }));
});

describe('A start', () => {
  /** The machine's address is loopback here, so that the fake NVR answers at it. */
  const around = async (): Promise<NetworkSurroundings> => ({
    isContainer: false,
    interfaces: [{ ...LAN, address: '127.0.0.1', cidr: null }],
    routes: '',
    nvrAddress: undefined,
  });
  const started = async (): Promise<string[]> => {
    const nvr = await startFakeNvr();
    const config = { nvr: { url: nvr.url, cameras: ['cam1'] } };
    const instance = await startInstance({ config, surroundings: around });
    const told = (): string[] =>
      instance.log.flatMap(({ msg }) => (/ nvr\.url: /.test(String(msg)) ? [String(msg)] : []));
    try {
      await until('the start warns', () => told().length > 0);
      return told();
    } finally {
      await instance.close();
      await nvr.close();
    }
  };

  it('warns of the open port of the NVR at an address of the machine, with the key', async () => {
    const told = await started();
    assert.equal(told.length, 1);
    assert.match(
      told[0] ?? '',
      /\/config\.yaml:\d+:\d+ nvr\.url: port \d+ answers at 127\.0\.0\.1, where other machines reach it/,
    );
  });
});
