/** Room for answers that are read whole, shared by all requests (SPEC 5). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, it } from 'node:test';
import type { Sharer } from '../../src/domain/async.ts';
import { REFUSALS } from '../../src/domain/refusal.ts';
import { ok } from '../../src/domain/result.ts';
import { FilterEnded } from '../../src/gateway/decision/upstream-failure.ts';
import { createForwarder } from '../../src/gateway/forward/forwarder.ts';
import { turnAt } from '../../src/gateway/narrow/held-body.ts';
import { createBufferBudget } from '../../src/gateway/narrow/obligations.ts';
import { startFakeNvr } from '../support/fake-nvr.ts';

const MB = 1024 * 1024;
const RULES = { cookieName: 'c', maxUpload: MB, timeoutConnect: 5, timeoutResponse: 60, timeoutIdle: 60 };

describe('Room for answers that are read whole', () => {
  const vera: Sharer = [['name vera', 1]];
  const carl: Sharer = [['name carl', 1]];

  it('is there until all of it is taken, and again when some of it is given back', () => {
    const held = createBufferBudget(10 * MB);
    const [one, other] = [held.hold([]), held.hold([])];
    assert.deepEqual([one.take(6 * MB), other.take(4 * MB), other.take(1)], [true, true, false]);
    one.release();
    assert.deepEqual([other.take(6 * MB), other.take(1)], [true, false]);
  });

  it('is given back once, however often that is said', () => {
    const held = createBufferBudget(10 * MB);
    const [one, other] = [held.hold([]), held.hold([])];
    one.take(6 * MB);
    other.take(4 * MB);
    one.release();
    one.release();
    assert.deepEqual([held.hold([]).take(6 * MB), held.hold([]).take(1 * MB)], [true, false]);
  });

  it('is a quarter for one caller, whatever the number of its requests', () => {
    const held = createBufferBudget(40 * MB);
    assert.deepEqual(
      [6, 4, 1].map((of) => held.hold(vera).take(of * MB)),
      [true, true, false],
    );
    assert.ok(held.hold(carl).take(10 * MB));
  });

  it('is always there for a small answer', () => {
    const held = createBufferBudget(1 * MB);
    held.hold([]).take(1 * MB);
    const small = held.hold([]);
    assert.deepEqual([small.take(MB / 4), small.take(MB / 4), small.take(1)], [true, true, false]);
  });
});

/** For which the thread that filters ends. */
const ENDS = 'ends';
const ANSWERS: Readonly<Record<string, string>> = { '/large': 'x'.repeat(0.9 * MB), '/ends': ENDS };

describe('Large answers that are narrowed', () => {
  it('are served while clients do not read others, of which the longest unread is cut when all memory for them is used', async (test) => {
    const nvr = await startFakeNvr();
    nvr.answer = (request, response) => void response.end(ANSWERS[request.url ?? ''] ?? 'small');
    const forwarder = createForwarder({ ...RULES, ca: undefined, verify: true });
    const budget = createBufferBudget(1.5 * MB);
    const upstream = { kind: 'tcp', protocol: 'http:', host: '127.0.0.1', port: nvr.port } as const;
    // What is left of a large answer is more than sockets take in by themselves.
    const body = async (bytes: Uint8Array<ArrayBuffer>) => {
      const text = Buffer.from(bytes).toString();
      if (text === ENDS) throw new FilterEnded('out of memory');
      return ok(Buffer.from(text.length > 5 ? text.repeat(24) : text));
    };
    const gate = createServer((request, response) =>
      forwarder.web(
        request,
        response,
        { kind: 'tcp', protocol: 'http:', host: '127.0.0.1', port: nvr.port },
        {
          target: request.url ?? '',
          headers: {},
          isPublic: false,
          narrowing: {
            body,
            reader: { clearance: 'restricted', namesForeign: () => false },
            hidesUnknown: false,
            hold: budget.hold([]),
            turn: turnAt(upstream, []),
          },
          onFailure: (reason) => response.writeHead(REFUSALS[reason].status).end(reason),
        },
      ),
    );
    gate.listen(0, '127.0.0.1');
    await once(gate, 'listening');
    test.after(async () => {
      forwarder.close();
      gate.close();
      gate.closeAllConnections();
      await nvr.close();
    });
    const { port } = gate.address() as AddressInfo;
    const asked = async (path: string) => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`);
      return `${answer.status} ${(await answer.text()).slice(0, 20)}`;
    };
    const idle = async (): Promise<ServerResponse> => {
      const client = connect(port, '127.0.0.1').on('error', () => {});
      const begun = once(gate, 'request');
      client.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n');
      const [, response] = await begun;
      await once(client, 'readable');
      return response;
    };
    // Each is a third of that memory.
    const unread = [await idle(), await idle()];
    assert.deepEqual(
      unread.map(({ destroyed }) => destroyed),
      [false, false],
    );
    assert.deepEqual([await asked('/large'), await asked('/small')], [`200 ${'x'.repeat(20)}`, '200 small']);
    unread.push(await idle());
    assert.deepEqual(
      unread.map(({ destroyed }) => destroyed),
      [true, false, false],
    );
    assert.equal(await asked('/ends'), '503 filter-ended', 'the end of the filter is no fault of the NVR');
  });
});
