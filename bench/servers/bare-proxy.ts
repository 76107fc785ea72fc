/** The baseline of forwarding: http-proxy with a keep-alive agent, which checks nothing. Its arguments: the upstream, and which one: `1.18.1` or the one in use. */
import { Agent, createServer } from 'node:http';
import httpProxyInUse from 'http-proxy';
import httpProxyNamed from 'http-proxy-1';
import { announce } from './announce.ts';

const [, , target = '', version = ''] = process.argv;
const { createProxyServer } = version === '1.18.1' ? httpProxyNamed : httpProxyInUse;
const proxy = createProxyServer({ target, agent: new Agent({ keepAlive: true }) });
proxy.on('error', () => {}); // clients leave at the end of a round
const server = createServer((request, response) => proxy.web(request, response));
server.on('upgrade', (request, socket, head) => proxy.ws(request, socket, head));
announce(server);
