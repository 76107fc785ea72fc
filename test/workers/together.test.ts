/** What the primary counts, lends and adds up for its workers, without processes (SPEC 4.5, 5, 9, 10). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLoginLimiter, inTurn } from '../../src/accounts/login/login-limiter.ts';
import { createAnswers } from '../../src/app/workers/answer-worker.ts';
import { createLeasedBudget } from '../../src/app/workers/leased-budget.ts';
import type { FromPrimary, QuestionOfWorker } from '../../src/app/workers/messages.ts';
import type { PoolWorker } from '../../src/app/workers/worker-slot.ts';
import { createCounter, createHistogram } from '../../src/telemetry/series.ts';
import { joined, keptOf, toldOf } from '../../src/telemetry/told-families.ts';

const MB = 1024 * 1024;
const fail = (): never => assert.fail('this is not asked');

function primary({ mostBytes = 10 * MB } = {}) {
  const clauses = [{ count: 2, windowSeconds: 60, text: '2/minute' }];
  const limiter = inTurn(createLoginLimiter({ clauses, clock: { now: () => 0 } }));
  const told = { onAuditLine: fail, onNotice: fail, onLedger: fail, onNote: fail };
  const deps = { hasherOf: fail, changed: fail, status: fail, ...told };
  const answers = createAnswers({ ...deps, limiters: { login: limiter, code: limiter, token: limiter }, mostBytes });
  const worker = (number: number) => {
    let settle = (_answer: unknown): void => {};
    const send = (message: FromPrimary): void => settle(message.kind === 'answered' ? message.answer : message);
    const self: PoolWorker = { number, pid: number, ask: fail, send, replace: fail };
    const ask = (question: QuestionOfWorker): Promise<unknown> =>
      new Promise((resolve) => {
        settle = resolve;
        answers.onMessage(self, { kind: 'asked', id: 1, question });
      });
    return {
      self,
      reserve: () =>
        ask({ kind: 'reserve', limiter: 'login', address: '192.0.2.1', isKnown: false }) as Promise<{
          kind: string;
          place: number;
        }>,
      bytes: (wanted: number) => ask({ kind: 'bytes', wanted }),
      settle: (place: number, hasFailed: boolean) => answers.onMessage(self, { kind: 'settled', place, hasFailed }),
      free: (bytes: number) => answers.onMessage(self, { kind: 'freed', bytes }),
      end: () => answers.onEnd(self),
    };
  };
  return { worker };
}

describe('Attempts of workers', () => {
  it('that was under way when its worker ended counts as failed', async () => {
    const { worker } = primary();
    const [one, other] = [worker(1), worker(2)];
    await one.reserve();
    one.end();
    const place = await other.reserve();
    other.settle(place.place, true);
    assert.equal((await other.reserve()).kind, 'limited');
  });

  it('are given back by the worker that made them, and by no other', async () => {
    const { worker } = primary();
    const [one, other] = [worker(1), worker(2)];
    const places = [await one.reserve(), await one.reserve()];
    for (const { place } of places) other.settle(place, false);
    for (const { place } of places) one.settle(place, true);
    assert.equal((await other.reserve()).kind, 'limited');
  });
});

describe('The memory for responses', () => {
  it('is one for all, and free again when its worker has ended', async () => {
    const { worker } = primary();
    const [one, other] = [worker(1), worker(2)];
    assert.deepEqual([await one.bytes(8 * MB), await other.bytes(8 * MB)], [true, false]);
    one.free(100 * MB);
    assert.equal(await other.bytes(8 * MB), true);
    assert.equal(await one.bytes(8 * MB), false);
    other.end();
    assert.equal(await one.bytes(8 * MB), true);
  });

  it('is asked for when a worker needs more, and given back when nothing is held', async () => {
    let lent = 0;
    const budget = createLeasedBudget({
      async ask(wanted) {
        const isThere = lent + wanted <= 6 * MB;
        if (isThere) lent += wanted;
        return isThere;
      },
      giveBack(bytes) {
        lent -= bytes;
      },
    });
    const hold = budget.hold();
    assert.equal(await hold.take(5 * MB), true);
    assert.equal(await budget.hold().take(5 * MB), false);
    hold.release();
    assert.equal(lent, 0);
  });
});

describe('Metrics of workers', () => {
  const process = (count: number, seconds: number) => {
    const counter = createCounter('postern_logins_total', 'Logins.', [['result', ['success', 'other']]]);
    const histogram = createHistogram('postern_login_duration_seconds', 'Time.', [1], []);
    counter.add(count, 'success');
    histogram.observe(seconds);
    return [counter, histogram];
  };
  const values = (families: ReturnType<typeof joined>) =>
    families.flatMap(({ samples }) => [...samples()].map(({ suffix, labels, value }) => `${suffix}${labels} ${value}`));

  it('are added up, and stay when the process has ended', () => {
    const expected = [
      '{result="success"} 6',
      '{result="other"} 0',
      '_bucket{le="1"} 2',
      '_bucket{le="+Inf"} 3',
      '_sum 6',
      '_count 3',
    ];
    const [one, other] = [toldOf(process(2, 0.5)), toldOf(process(3, 5))];
    assert.deepEqual(values(joined(process(1, 0.5), () => [...one, ...other])), expected);
    const kept = keptOf(keptOf([], one), other);
    assert.deepEqual(values(joined(process(1, 0.5), () => kept)), expected);
  });
});
