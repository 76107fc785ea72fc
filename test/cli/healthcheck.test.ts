/** `postern healthcheck`: what it reads, and that it carries nothing of the service (SPEC 1). */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { newDirectory, runPostern } from '../support/run-postern.ts';

let status = 200;
const server = createServer((request, response) => response.writeHead(request.url === '/healthz' ? status : 404).end());
let host = '';
before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => server.close());

/** Prints the files of JavaScript that the process loads. */
const LIST = `import { registerHooks } from 'node:module';
process.once('exit', () => process.stderr.write(process.moduleLoadList.includes('NativeModule _http_client') ? 'node:http' : ''));
registerHooks({ load(url, context, next) { process.stderr.write(url + '\\n'); return next(url, context); } });`;

const healthcheck = (config: string, env: Readonly<Record<string, string>> = {}) =>
  runPostern(['healthcheck'], { directory: newDirectory(config), env });

describe('postern healthcheck', () => {
  it('asks the address of the file, whatever else is in it', async () => {
    const config = `server: { telemetry: ${host} }\nauth: { roles: { broken: 1 } }\n`;
    assert.deepEqual(await healthcheck(config), { code: 0, stdout: '', stderr: '' });
  });

  it('asks the address of the environment before that of the file, also of a whole section', async () => {
    const config = 'server: { telemetry: 127.0.0.1:1 }\n';
    const whole = { POSTERN__SERVER: JSON.stringify({ telemetry: host }) };
    assert.equal((await healthcheck(config, { POSTERN__SERVER__TELEMETRY: host })).code, 0);
    assert.equal((await healthcheck(config, whole)).code, 0);
  });

  it('says what is wrong with the answer, the address or the file', async () => {
    status = 503;
    const unwell = await healthcheck(`server: { telemetry: ${host} }\n`);
    status = 200;
    assert.deepEqual([unwell.code, unwell.stderr], [1, `http://${host}/healthz answered 503\n`]);
    const off = await healthcheck('server: { telemetry: false }\n');
    assert.deepEqual([off.code, off.stderr.includes('server.telemetry is false')], [1, true]);
    const mistyped = await healthcheck('server: { telemetry: 9871 }\n');
    assert.equal(mistyped.code, 1);
    assert.match(mistyped.stderr, /server\.telemetry.* is not host:port/);
    const torn = await healthcheck('server: {\n');
    assert.equal(torn.code, 1);
    assert.match(torn.stderr, /config\.yaml:/);
  });

  it('asks over a Unix socket', async (t) => {
    const [directory, own] = [newDirectory(''), createServer((_, response) => response.end('well'))];
    const path = join(directory, 'telemetry.sock');
    await new Promise<void>((resolve) => own.listen(path, resolve));
    t.after(() => own.close());
    const asked = () => healthcheck(`server: { telemetry: 'unix:${path}' }\n`);
    assert.deepEqual(await asked(), { code: 0, stdout: '', stderr: '' });
    await new Promise((resolve) => own.close(resolve));
    assert.deepEqual(await asked(), {
      code: 1,
      stdout: '',
      stderr: `/healthz of unix:${path} does not answer: the server is not running, or not with this configuration\n`,
    });
  });

  it('is content with no answer that is not HTTP', async (t) => {
    const other = createTcpServer((socket) => socket.end('220 mail.example.com ready\r\n'));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    t.after(() => other.close());
    const { port } = other.address() as AddressInfo;
    const { code, stderr } = await healthcheck(`server: { telemetry: 127.0.0.1:${port} }\n`);
    assert.deepEqual([code, stderr.includes('does not answer')], [1, true]);
  });

  it('loads neither the command line, nor the schema of the configuration, nor packages, nor an HTTP client', async () => {
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(LIST)}` };
    const { code, stderr } = await healthcheck(`server: { telemetry: ${host} }\n`, env);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /healthcheck/);
    assert.doesNotMatch(stderr, /node_modules\/|node:http|zod|commander|command-line|load-config|koa|pino|serve-/);
  });
});
