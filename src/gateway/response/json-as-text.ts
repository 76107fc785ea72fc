/** JSON of Postern's own routes, given to Koa as text. */
import { Readable } from 'node:stream';
import type Koa from 'koa';

/**
 * Koa asks of each body that it does not know whether it is a `Response`. To name that global loads Node's own fetch: 50 ms of
 * the first login, and some 6 MB. A text it knows.
 */
export function sendJsonAsText<State>({ response }: Koa<State>): void {
  const body = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(response), 'body');
  if (!body?.set) throw new Error('this version of Koa has no setter for the body of a response');
  const { set } = body;
  Object.defineProperty(response, 'body', {
    ...body,
    set(this: Koa.Response, value: unknown) {
      if (!isJson(value)) return set.call(this, value);
      if (!/\bjson\b/i.test(this.type)) this.type = 'json';
      set.call(this, JSON.stringify(value));
    },
  });
}

const isJson = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Buffer.isBuffer(value) && !(value instanceof Readable);
