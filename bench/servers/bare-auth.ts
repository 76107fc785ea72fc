/** The baseline of a decision: a Node server that decides nothing and answers 202. */
import { createServer } from 'node:http';
import { announce } from './announce.ts';

announce(createServer((_request, response) => response.writeHead(202, { 'content-length': 0 }).end()));
