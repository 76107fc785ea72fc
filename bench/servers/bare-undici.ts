/** The floor of forwarding with this engine: undici passes heads and bodies on, and nothing is checked. Its argument is the upstream. */
import { createServer, type ServerResponse } from 'node:http';
import { type Dispatcher, Pool } from 'undici';
import { announce } from './announce.ts';

const pool = new Pool(process.argv[2] ?? '', { connections: 64 });

announce(
  createServer((request, response) => {
    const { method = 'GET', url: path = '/', headers } = request;
    const body = method === 'POST' ? request : null;
    pool.dispatch({ method, path, headers: { ...headers, connection: 'keep-alive' }, body }, pipeTo(response));
  }),
);

function pipeTo(response: ServerResponse): Dispatcher.DispatchHandler {
  return {
    onRequestStart(controller) {
      // While the request waited for a connection; otherwise its response would wait for a reader for ever.
      if (response.destroyed) controller.abort(LEFT);
      else response.once('close', () => !response.writableFinished && controller.abort(LEFT));
    },
    onResponseStart: (controller, statusCode) => {
      response.writeHead(statusCode, (controller.rawHeaders as Buffer[]).map(String));
    },
    onResponseData(controller, chunk) {
      if (response.write(chunk)) return;
      controller.pause();
      response.once('drain', () => controller.resume());
    },
    onResponseEnd: () => void response.end(),
    onResponseError: () => void response.destroy(),
  };
}

const LEFT = new Error('the client has left');
