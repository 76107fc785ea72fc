/** The client for servers that the configuration names: bounds of time and size, no redirect, an authority of one's own. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { createBoundedFetch } from '../../src/outbound/bounded-fetch.ts';
import { startTlsFront, type TlsFront } from '../support/tls-front.ts';

const BYTES = 1000;
const SECONDS = 30;

const textOf = async (request: IncomingMessage): Promise<string> => (await request.toArray()).join('');

describe('A bounded fetch', () => {
  let server: Server;
  let tls: TlsFront;
  let url: string;
  let answer: RequestListener;
  const asked: string[] = [];

  before(async () => {
    server = createServer((request, response) => {
      asked.push(request.url ?? '');
      void answer(request, response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    url = `http://127.0.0.1:${port}`;
    tls = await startTlsFront(port);
  });
  after(async () => {
    await tls.close();
    server.closeAllConnections();
    server.close();
  });

  const fetchIt = createBoundedFetch({ seconds: SECONDS, bytes: BYTES });

  it('sends method, headers and a form, and gives status, headers and text', async () => {
    answer = async (request, response) => {
      const text = `${request.method} ${request.headers['x-a']} ${await textOf(request)}`;
      response.writeHead(201, { 'X-B': 'b' }).end(text);
    };
    const body = new URLSearchParams({ one: 'a b' });
    const response = await fetchIt(`${url}/form`, { method: 'POST', headers: new Headers({ 'X-A': 'a' }), body });
    assert.deepEqual(
      [response.status, response.headers.get('x-b'), await response.text()],
      [201, 'b', 'POST a one=a+b'],
    );
  });

  it('gives a redirect as it is, and does not follow it', async () => {
    answer = (_, response) => void response.writeHead(302, { Location: '/elsewhere' }).end();
    assert.equal((await fetchIt(`${url}/redirect`)).status, 302);
    assert.ok(!asked.includes('/elsewhere'));
  });

  it('refuses an answer that is larger than it may be, whatever its length says', async () => {
    answer = (_, response) => void response.end('x'.repeat(BYTES));
    assert.equal((await (await fetchIt(url)).text()).length, BYTES);
    answer = (_, response) => {
      response.write('x'.repeat(BYTES));
      response.end('x');
    };
    await assert.rejects(fetchIt(url), /an answer of more than 1000 bytes/);
  });

  it('refuses an answer that is cut', async () => {
    answer = (request, response) => {
      response.writeHead(200, { 'Content-Length': '10' }).write('half');
      request.socket.end();
    };
    await assert.rejects(fetchIt(url), { name: 'FetchFault' });
  });

  it('gives up after its time, also in the middle of a body', async () => {
    answer = (_, response) => void response.write('a beginning');
    await assert.rejects(createBoundedFetch({ seconds: 0.2, bytes: BYTES })(url), /no answer within 0.2 s/);
  });

  it('names why a server cannot be reached', async () => {
    await assert.rejects(fetchIt('http://127.0.0.1:1/'), /ECONNREFUSED/);
  });

  it('trusts the authority that it is given, and no other', async () => {
    answer = (_, response) => void response.end('seen');
    const address = `https://127.0.0.1:${tls.port}/`;
    const trusting = createBoundedFetch({ seconds: SECONDS, bytes: BYTES, ca: async () => tls.ca });
    assert.equal(await (await trusting(address)).text(), 'seen');
    await assert.rejects(fetchIt(address), { name: 'FetchFault' });
  });
});
