/** The upstream of every round: a small JSON answer, as fast as Node gives it. Prints its port. */
import { createServer } from 'node:http';
import { announce } from './announce.ts';

const BODY = JSON.stringify({ service: { version: '0.18.0', uptime: 100 }, cameras: { cam1: { fps: 5 } } });

announce(
  createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': BODY.length }).end(BODY);
  }),
);
