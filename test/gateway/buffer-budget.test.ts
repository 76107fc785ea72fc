/** Room for answers that are read whole, shared by all requests (SPEC 5). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, it } from 'node:test';
import { REFUSALS } from '../../src/domain/refusal.ts';
import { FilterEnded } from '../../src/gateway/decision/ask-failure.ts';
import { createForwarder } from '../../src/gateway/forward/forward.ts';
import { createBufferBudget } from '../../src/gateway/narrow/buffer-budget.ts';
import { startFakeNvr } from '../support/fake-nvr.ts';

const MB = 1024 * 1024;
const RULES = { cookieName: 'c', maxUpload: MB, timeoutConnect: 5, timeoutResponse: 60, timeoutIdle: 60 };

describe('Room for answers that are read whole', () => {
  it('is there until all of it is taken, and again when some of it is given back', () => {
    const held = createBufferBudget(() => 10 * MB);
    const [one, other] = [held.hold(), held.hold()];
    assert.deepEqual([one.take(6 * MB), other.take(4 * MB), other.take(1)], [true, true, false]);
    one.release();
    assert.deepEqual([other.take(6 * MB), other.take(1)], [true, false]);
  });

  it('is given back once, however often that is said', () => {
    const held = createBufferBudget(() => 10 * MB);
    const [one, other] = [held.hold(), held.hold()];
    one.take(6 * MB);
    other.take(4 * MB);
    one.release();
    one.release();
    assert.deepEqual([held.hold().take(6 * MB), held.hold().take(1 * MB)], [true, false]);
  });

  it('is always there for a small answer', () => {
    const held = createBufferBudget(() => 1 * MB);
    held.hold().take(1 * MB);
    const small = held.hold();
    assert.deepEqual([small.take(MB / 4), small.take(MB / 4), small.take(1)], [true, true, false]);
  });
});

/** For which the thread that filters ends. */
const ENDS = 'ends';
const ANSWERS: Readonly<Record<string, string>> = { '/large': 'x'.repeat(0.9 * MB), '/ends': ENDS };

describe('Large answers that are narrowed', () => {
  it('are refused while clients that do not read hold others, small ones are not, and are given again afterwards', async (test) => {
    const nvr = await startFakeNvr();
    nvr.answer = (request, response) => void response.end(ANSWERS[request.url ?? ''] ?? 'small');
    const forwarder = createForwarder({ ...RULES, ca: undefined, verify: true });
    const held = createBufferBudget(() => MB / 2);
    // What is left of a large answer is more than sockets take in by themselves.
    const body = async (bytes: Uint8Array<ArrayBuffer>) => {
      const text = Buffer.from(bytes).toString();
      if (text === ENDS) throw new FilterEnded('out of memory');
      return { kind: 'narrowed', body: Buffer.from(text.length > 5 ? text.repeat(24) : text) } as const;
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
            held,
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
    const idle = connect(port, '127.0.0.1');
    const [[, response]] = await Promise.all([
      once(gate, 'request'),
      idle.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n'),
    ]);
    await once(idle, 'readable');
    assert.deepEqual([await asked('/large'), await asked('/small')], ['503 answers-too-large', '200 small']);
    const gone = once(response, 'close');
    idle.destroy();
    await gone;
    assert.equal(await asked('/large'), `200 ${'x'.repeat(20)}`);
    assert.equal(await asked('/ends'), '503 filter-ended', 'the end of the filter is no fault of the NVR');
  });
});
