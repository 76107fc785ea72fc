/** The floor of forwarding on Node: heads and bodies are passed on, and nothing is checked. Its argument is the upstream. */
import { Agent, request as ask, createServer } from 'node:http';
import { announce } from './announce.ts';

const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const upstream = new URL(process.argv[2] ?? '');

announce(
  createServer((request, response) => {
    const { method, url: path, headers } = request;
    const asked = ask({ agent, hostname: upstream.hostname, port: upstream.port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(response);
    });
    asked.on('error', () => response.destroy());
    response.on('close', () => asked.destroy());
    request.pipe(asked);
  }),
);
