/** What is written at the end of a turn: all of it, in order, whatever one of them does. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { PassThrough, Writable } from 'node:stream';
import { beforeEach, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createHttp1Connections, type Http1Connections } from '../../src/gateway/listen/http1-connections.ts';
import { atEndOfTurn, leaveInTurn } from '../../src/gateway/response/client-socket.ts';
import { passOn } from '../../src/gateway/websocket/proxy-upgrade.ts';

describe('At the end of a turn', () => {
  it('everything is written, in its order, and nothing before', async () => {
    const written: number[] = [];
    for (const each of [1, 2, 3]) atEndOfTurn(() => written.push(each));
    await Promise.resolve();
    assert.deepEqual(written, []);
    await nextTurn();
    assert.deepEqual(written, [1, 2, 3]);
  });

  it('what is asked for meanwhile is written in the next one', async () => {
    const written: string[] = [];
    atEndOfTurn(() => {
      written.push('first');
      atEndOfTurn(() => written.push('second'));
    });
    await nextTurn();
    await nextTurn();
    assert.deepEqual(written, ['first', 'second']);
  });

  it('the fault of one keeps no other from being written', async () => {
    const written: string[] = [];
    const faults: unknown[] = [];
    const listeners = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException');
    process.once('uncaughtException', (fault) => faults.push(fault));
    atEndOfTurn(() => written.push('before'));
    atEndOfTurn(() => {
      throw new Error('broken');
    });
    atEndOfTurn(() => written.push('after'));
    await nextTurn();
    await nextTurn();
    for (const listener of listeners) process.on('uncaughtException', listener);
    assert.deepEqual([written, faults], [['before', 'after'], [new Error('broken')]]);
  });
});

describe('Connections that end at once', () => {
  it('are let go in their order, some in each turn', async () => {
    const left: number[] = [];
    for (const each of Array(100).keys()) leaveInTurn(() => left.push(each));
    const perTurn: number[] = [];
    for (let before = 0; before < 100; before = left.length) {
      await nextTurn();
      perTurn.push(left.length - before);
    }
    assert.ok(Math.max(...perTurn) < 50, `in each turn: ${perTurn}`);
    assert.deepEqual(left, [...Array(100).keys()]);
  });

  it('and those that end meanwhile are let go after them', async () => {
    const left: string[] = [];
    const last = Promise.withResolvers<void>();
    leaveInTurn(() => {
      left.push('first');
      leaveInTurn(() => {
        left.push('second');
        last.resolve();
      });
    });
    await last.promise;
    assert.deepEqual(left, ['first', 'second']);
  });
});

describe('First requests of connections that come at once', () => {
  let begun: string[];
  let http1: Http1Connections;
  let serve: ReturnType<Http1Connections['inTurn']>;
  beforeEach(() => {
    begun = [];
    http1 = createHttp1Connections({ idleMs: () => 1000, stalledMs: 1000 });
    serve = http1.inTurn(({ url = '' }) => void begun.push(url));
  });
  const request = (socket: Socket, url: string): ServerResponse => {
    const message = new IncomingMessage(socket);
    message.url = url;
    const response = new ServerResponse(message);
    serve(message, response);
    return response;
  };
  const connected = (): Socket => {
    const socket = new Socket();
    http1.add(socket);
    return socket;
  };

  it('begin in their order, some in each turn, and one on a connection that is known begins at once', async () => {
    const known = connected();
    const earlier = request(known, 'earlier');
    assert.deepEqual(begun, ['earlier'], 'one that comes alone begins at once');
    await once(earlier.destroy(), 'close');
    const names = Array.from({ length: 100 }, (_, at) => `first ${at}`);
    const sockets = names.map(connected);
    for (const [at, name] of names.entries()) request(sockets[at] ?? assert.fail(), name);
    sockets[99]?.destroy();
    request(known, 'another');
    assert.ok(begun.length < 50 && begun.at(-1) === 'another', `at once: ${begun}`);
    for (let turns = 0; begun.length < 101 && turns < 50; turns += 1) {
      const before = begun.length;
      await nextTurn();
      assert.ok(begun.length - before < 50, `in one turn: ${begun.length - before}`);
    }
    assert.deepEqual(
      begun.filter((name) => name.startsWith('first')),
      names.slice(0, 99),
    );
  });

  it('wait for nobody who has left', async () => {
    for (let at = 0; at < 2000; at += 1) {
      const socket = connected();
      request(socket, 'of one who left');
      socket.destroy();
    }
    request(connected(), 'of one who waits');
    let turns = 0;
    for (; !begun.includes('of one who waits') && turns < 200; turns += 1) await nextTurn();
    assert.ok(turns < 10, `${turns} turns`);
  });
});

describe('What is passed on from one socket to another', () => {
  function passed() {
    const writes: string[][] = [];
    const sink = new Writable({
      writev(chunks, done) {
        writes.push(chunks.map(({ chunk }) => String(chunk)));
        done();
      },
    });
    const source = new PassThrough();
    passOn(source, sink, () => {});
    return { source, sink, writes };
  }

  it('goes out together at the end of a turn', async () => {
    const { source, writes } = passed();
    for (const word of ['a', 'b', 'c']) source.write(word);
    await nextTurn();
    await nextTurn();
    assert.deepEqual(writes, [['a', 'b', 'c']]);
  });

  it('goes out to its last byte when the source ends', async () => {
    const { source, sink, writes } = passed();
    source.end('the end');
    await once(sink, 'finish');
    assert.deepEqual(writes.flat(), ['the end']);
  });
});
