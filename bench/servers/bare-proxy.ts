/** The baseline of forwarding: http-proxy with a keep-alive agent, which checks nothing. Its argument is the upstream. */
import { Agent, createServer } from 'node:http';
import httpProxy from 'http-proxy';
import { announce } from './announce.ts';

const proxy = httpProxy.createProxyServer({ target: process.argv[2] ?? '', agent: new Agent({ keepAlive: true }) });
announce(createServer((request, response) => proxy.web(request, response)));
