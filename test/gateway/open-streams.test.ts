import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { type Caller, INTERNAL_CALLER } from '../../src/domain/caller.ts';
import { ALL_CAMERAS, scopeWithout, toScope } from '../../src/domain/camera-scope.ts';
import { type Role, type UserName, VIEWER } from '../../src/domain/names.ts';
import { storeFault } from '../../src/domain/store/store-fault.ts';
import { type Admittance, createOpenStreams, type HeldStream } from '../../src/gateway/entry/open-streams.ts';
import { movableClock } from '../support/clock.ts';
import { someRequest } from '../support/request-facts.ts';

const session = (name: string, tokenId: string, changes: Partial<Caller> = {}): Caller => ({
  name: name as UserName,
  role: VIEWER,
  scope: ALL_CAMERAS,
  credential: { kind: 'session', tokenId, issuedAt: 1, expiresAt: 5000, carriedBy: 'cookie' },
  ...changes,
});
const VERA = session('vera', '1');
const GUS = session('gus', '2', { role: 'guard' as Role, scope: toScope(['garden', 'patio_*']) });
const TOKEN = session('vera', 'pst', { credential: { kind: 'api-token', tokenId: 'pst' } });
const DAY_PASS = session('dora', 'pst', { credential: { kind: 'api-token', tokenId: 'day', expiresAt: 1000 } });
const PROXY = session('jörg', '', { credential: { kind: 'proxy-headers' } });

const WATCHING: Admittance = {
  request: someRequest({ target: '/live/jsmpeg/cam1', isUpgrade: true }),
  admission: {
    route: { kind: 'unlisted' },
    target: { path: '/live/jsmpeg/cam1', query: '', segments: ['live', 'jsmpeg', 'cam1'] },
  },
};
const isBesideDrawn = () => false;

/** Streams of these callers, and who they turn out to be when they are looked at: themselves, unless changed. */
function streams(t: TestContext, ...callers: Caller[]) {
  const now = new Map<Caller, Caller | undefined>(callers.map((caller) => [caller, caller]));
  const ended: string[] = [];
  const faults: unknown[] = [];
  const asked: string[] = [];
  let version = 1;
  const clock = movableClock(0);
  const open = createOpenStreams({
    clock,
    isBesideDrawn,
    version: () => String(version),
    recheck: async (caller) => {
      asked.push(caller.name);
      return now.get(caller);
    },
    onFault: (fault) => faults.push(fault),
  });
  t.after(open.close);
  const done = callers.map((caller) => {
    const gone = open.add(caller, WATCHING, (code, by) => {
      ended.push(`${caller.name} ${code}${by === 'expired' ? ' expired' : ''}`);
      gone();
    });
    return gone;
  });
  const change = (caller: Caller, to: Caller | undefined): void => {
    version += 1;
    now.set(caller, to);
  };
  const renew = (caller: Caller, expiresAt: number): void => {
    now.set(caller, { ...caller, credential: { ...caller.credential, expiresAt } as Caller['credential'] });
  };
  const forget = (caller: Caller): void => void now.set(caller, undefined);
  return { ...open, ended, faults, asked, change, renew, forget, done, clock };
}

describe('Open streams', () => {
  const rows: [sentence: string, caller: Caller, becomes: Caller | undefined, ended: string[]][] = [
    ['go on while their holder is who that was', VERA, session('vera', '1'), []],
    ['end when their holder is gone', VERA, undefined, ['vera 4401']],
    ['end when a token is over', TOKEN, undefined, ['vera 4401']],
    ['end when the role is another', VERA, session('vera', '1', { role: 'guard' as Role }), ['vera 4403']],
    ['end when the role sees less', GUS, { ...GUS, scope: toScope(['garden']) }, ['gus 4403']],
    ['end when the role sees other patterns', GUS, { ...GUS, scope: toScope(['garden', 'street_*']) }, ['gus 4403']],
    ['go on when the same cameras are listed anew', GUS, { ...GUS, scope: toScope(['patio_*', 'garden']) }, []],
    ['end for a proxy’s user whose role is redefined', PROXY, { ...PROXY, scope: toScope(['a']) }, ['jörg 4403']],
  ];
  for (const [sentence, caller, becomes, ended] of rows) {
    it(sentence, async (t) => {
      const open = streams(t, caller);
      await open.sweep();
      open.change(caller, becomes);
      await open.sweep();
      assert.deepEqual(open.ended, ended);
    });
  }

  for (const first of [0, 1, 2, 3]) {
    it(`of one holder end each once, whichever ended before by themselves: the one in place ${first}, and its neighbour`, async (t) => {
      const open = streams(t);
      const ended: number[] = [];
      const done = [0, 1, 2, 3].map((at) => open.add(VERA, WATCHING, () => ended.push(at)));
      const gone = [first, (first + 1) % 4];
      for (const at of [...gone, ...gone]) done[at]?.();
      assert.equal(open.size(), 2);
      await open.sweep(); // recheck does not know her
      assert.deepEqual(
        ended.toSorted(),
        [0, 1, 2, 3].filter((at) => !gone.includes(at)),
      );
    });
  }

  it('of others go on', async (t) => {
    const open = streams(t, VERA, GUS);
    open.change(VERA, undefined);
    await open.sweep();
    assert.deepEqual(open.ended, ['vera 4401']);
  });

  it('are looked at when something has changed, or when they are new', async (t) => {
    const open = streams(t, VERA, TOKEN);
    await open.sweep();
    await open.sweep();
    open.renew(GUS, 5000);
    open.add(GUS, WATCHING, () => {});
    await open.sweep();
    open.change(VERA, VERA);
    await open.sweep();
    assert.deepEqual(open.asked, ['vera', 'vera', 'gus', 'vera', 'vera', 'gus']);
  });

  it('of an API token end when it does', async (t) => {
    const open = streams(t, DAY_PASS, TOKEN);
    await open.sweep();
    open.clock.advance(999);
    await open.sweep();
    assert.deepEqual([open.ended, open.asked], [[], ['dora', 'vera']]);
    open.clock.advance(1);
    open.change(DAY_PASS, undefined);
    await open.sweep();
    assert.deepEqual(open.ended, ['dora 4401 expired']);
  });

  it('of a session end when its latest token does, and go on when it was renewed', async (t) => {
    const open = streams(t, VERA, GUS);
    await open.sweep();
    open.clock.advance(4999);
    await open.sweep();
    assert.deepEqual([open.ended, open.asked], [[], ['vera', 'gus']]);
    open.clock.advance(1);
    open.renew(VERA, 6000);
    open.forget(GUS);
    await open.sweep();
    assert.deepEqual(open.ended, ['gus 4401 expired']);
    open.clock.advance(999);
    await open.sweep();
    assert.deepEqual(open.asked, ['vera', 'gus', 'vera', 'gus']);
    open.clock.advance(1);
    open.forget(VERA);
    await open.sweep();
    assert.deepEqual(open.ended, ['gus 4401 expired', 'vera 4401 expired']);
  });

  it('of all holders are looked at at once', async (t) => {
    const all = Promise.withResolvers<void>();
    const holders = [VERA, GUS, TOKEN, DAY_PASS];
    let asked = 0;
    const ended: string[] = [];
    const open = createOpenStreams({
      clock: movableClock(0),
      isBesideDrawn,
      version: () => '1',
      async recheck() {
        asked += 1;
        if (asked === holders.length) all.resolve();
        await all.promise;
        return undefined;
      },
      onFault: () => {},
    });
    t.after(open.close);
    for (const caller of holders) open.add(caller, WATCHING, () => ended.push(caller.name));
    await open.sweep();
    assert.equal(ended.length, holders.length);
  });

  describe('when the rules are others', () => {
    const judgedBy = (t: TestContext) => {
      const open = streams(t, VERA, VERA, GUS, PROXY);
      const judged: string[] = [];
      const judge = (name: string, verdict: (caller: Caller) => Promise<4403 | undefined>) => (stream: HeldStream) => {
        judged.push(`${name} ${stream.caller.name} ${stream.request.target}`);
        return verdict(stream.caller);
      };
      return { ...open, judged, judge };
    };

    it('are all judged, and what one judge leaves by the next', async (t) => {
      const open = judgedBy(t);
      const { target } = WATCHING.request;
      await open.review([
        open.judge('first', async (caller) => (caller === GUS ? 4403 : undefined)),
        open.judge('second', async (caller) => (caller === PROXY ? 4403 : undefined)),
      ]);
      assert.deepEqual(open.judged, [
        ...['vera', 'vera', 'gus', 'jörg'].map((name) => `first ${name} ${target}`),
        ...['vera', 'vera', 'jörg'].map((name) => `second ${name} ${target}`),
      ]);
      assert.deepEqual(open.ended, ['gus 4403', 'jörg 4403']);
    });

    it('end alone where a judge fails', async (t) => {
      const open = judgedBy(t);
      const broken = new Error('no such camera');
      const isBroken = (caller: Caller) => (caller === GUS ? Promise.reject(broken) : Promise.resolve(undefined));
      const ends = async (caller: Caller) => (caller === PROXY ? (4403 as const) : undefined);
      await assert.rejects(open.review([open.judge('first', isBroken), open.judge('second', ends)]), broken);
      assert.deepEqual(open.ended, ['gus 4403', 'jörg 4403']);
    });

    it('end where a judge has no answer in time, and keep no other waiting', async (t) => {
      t.mock.timers.enable({ apis: ['setTimeout'] });
      const open = judgedBy(t);
      const never = new Promise<undefined>(() => {});
      const silent = open.judge('only', (caller) => (caller === VERA ? never : Promise.resolve(4403 as const)));
      const reviewed = open.review([silent]);
      await new Promise(setImmediate);
      assert.deepEqual(open.ended, ['gus 4403', 'jörg 4403']);
      t.mock.timers.tick(5_000);
      await reviewed;
      assert.deepEqual(open.ended, ['gus 4403', 'jörg 4403', 'vera 4403', 'vera 4403']);
    });
  });

  describe('when the curtain alone is moved', () => {
    const behind = (caller: Caller, ...cameras: readonly string[]): Caller => {
      const drawn = toScope(cameras);
      return { ...caller, scope: scopeWithout(caller.scope, drawn), drawn };
    };
    // biome-ignore format: a table
    const MOVED: [sentence: string, then: Caller, now: Caller, isBeside: boolean, ended: number][] = [
      ['go on where it leaves them',                    VERA,                  behind(VERA, 'hall'),                                    true,  0],
      ['end where it takes them',                       VERA,                  behind(VERA, 'hall'),                                    false, 1],
      ['go on where it was opened beside them',         behind(VERA, 'hall'),  VERA,                                                    true,  0],
      ['go on where it was drawn in front of more',     behind(GUS, 'hall*'),  behind(GUS, 'hall*', 'patio_2'),                         true,  0],
      ['end where the role changed as well',            VERA,                  behind({ ...VERA, role: 'guard' as Role }, 'hall'),      true,  1],
      ['end where other cameras were taken as well',    GUS,                   behind({ ...GUS, scope: toScope(['garden']) }, 'hall'),  true,  1],
      ['end where the role may do less as well',        VERA,                  behind({ ...VERA, denied: ['live'] }, 'hall'),           true,  1],
    ];
    for (const [sentence, then, now, isBeside, ended] of MOVED) {
      it(sentence, async (t) => {
        let is = then;
        let version = 1;
        const ends: number[] = [];
        const open = createOpenStreams({
          clock: movableClock(0),
          isBesideDrawn: (_, caller) => isBeside && caller === now,
          version: () => String(version),
          recheck: async () => is,
          onFault: () => {},
        });
        t.after(open.close);
        open.add(then, WATCHING, (code) => ends.push(code));
        await open.sweep();
        [is, version] = [now, 2];
        await open.sweep();
        assert.equal(ends.length, ended);
      });
    }
  });

  it('that are WebSockets are closed at a stop, for every holder', (t) => {
    const open = streams(t);
    const left: string[] = [];
    const done = open.addSocket(() => left.push('gone before'));
    open.addSocket(() => left.push('there'));
    done();
    open.leaveSockets();
    assert.deepEqual(left, ['there']);
  });

  it('leave nothing behind when they end by themselves', async (t) => {
    const open = streams(t, VERA, VERA, GUS, TOKEN, PROXY);
    assert.equal(open.size(), 5);
    for (const done of open.done) done();
    for (const done of open.done) done();
    assert.equal(open.size(), 0);
    open.change(VERA, undefined);
    await open.sweep();
    assert.deepEqual([open.ended, open.asked], [[], []]);
  });

  it('of the internal listener are not kept: no right can end', async (t) => {
    const open = streams(t, INTERNAL_CALLER);
    assert.equal(open.size(), 0);
  });

  it('are ended by themselves within seconds of a change', async (t) => {
    const open = streams(t, VERA);
    const ended = new Promise<number>((resolve) => open.add(VERA, WATCHING, resolve));
    open.change(VERA, undefined);
    assert.equal(await ended, 4401);
  });

  it('end though the check of another holder fails', async (t) => {
    const ended: string[] = [];
    const broken = new Error('the disk is gone');
    const open = createOpenStreams({
      clock: movableClock(),
      isBesideDrawn,
      version: () => 'same',
      recheck: (caller) => (caller === VERA ? Promise.reject(broken) : Promise.resolve(undefined)),
      onFault: () => {},
    });
    t.after(open.close);
    for (const caller of [VERA, GUS]) open.add(caller, WATCHING, () => ended.push(caller.name));
    await assert.rejects(open.sweep(), broken);
    assert.deepEqual(ended, ['gus']);
  });

  it('go on when the store cannot be read, and are looked at again', async (t) => {
    const broken = new Error('the disk is gone');
    let isBroken = true;
    const faults: unknown[] = [];
    const open = createOpenStreams({
      clock: movableClock(),
      isBesideDrawn,
      version: () => 'same',
      recheck: () => (isBroken ? Promise.reject(broken) : Promise.resolve(undefined)),
      onFault: (fault) => {
        faults.push(fault);
        isBroken = false;
      },
    });
    t.after(open.close);
    const code = await new Promise<number>((resolve) => open.add(VERA, WATCHING, resolve));
    assert.deepEqual([code, faults], [4401, [broken]]);
  });

  describe('of a store that cannot be reached', () => {
    const GRACE = 60;
    const GONE = storeFault('unreachable', 'it is gone', undefined);
    /** Who can still be answered for from memory. */
    const cutOff = (t: TestContext, remembered: readonly Caller[], seconds = GRACE) => {
      const clock = movableClock(0);
      const ended: string[] = [];
      let isHeard = true;
      const open = createOpenStreams({
        clock,
        isBesideDrawn,
        version: () => `${clock.now()}`,
        recheck: async (caller) => {
          if (isHeard || remembered.includes(caller)) return caller;
          throw GONE;
        },
        grace: { seconds, clock, isHeard: () => isHeard },
        onFault: () => {},
      });
      t.after(open.close);
      const watch = (caller: Caller): void =>
        void open.add(caller, WATCHING, (code, by) => ended.push(`${caller.name} ${code} ${by}`));
      const after = async (secondsLater: number): Promise<readonly string[]> => {
        clock.advance(secondsLater);
        await open.sweep().catch((fault) => assert.equal(fault, GONE));
        return ended;
      };
      const hear = (is: boolean): void => {
        isHeard = is;
      };
      return { watch, after, lose: () => hear(false), find: () => hear(true) };
    };

    it('go on for the grace alone, counted from when the store last confirmed them', async (t) => {
      const open = cutOff(t, [GUS]);
      for (const caller of [VERA, GUS, TOKEN]) open.watch(caller);
      assert.deepEqual(await open.after(30), []);
      open.lose();
      assert.deepEqual(await open.after(GRACE - 1), []);
      assert.deepEqual(await open.after(1), ['vera 1013 error', 'vera 1013 error']);
    });

    it('go on when it comes back in time', async (t) => {
      const open = cutOff(t, []);
      open.watch(VERA);
      open.lose();
      await open.after(GRACE - 1);
      open.find();
      await open.after(1);
      open.lose();
      assert.deepEqual(await open.after(GRACE - 1), []);
    });

    it('end with the first refusal when they were opened meanwhile, or when there is no grace', async (t) => {
      const open = cutOff(t, []);
      open.lose();
      open.watch(VERA);
      assert.deepEqual(await open.after(1), ['vera 1013 error']);
      const strict = cutOff(t, [], 0);
      strict.watch(GUS);
      assert.deepEqual(await strict.after(1), []);
      strict.lose();
      assert.deepEqual(await strict.after(1), ['gus 1013 error']);
    });
  });
});
