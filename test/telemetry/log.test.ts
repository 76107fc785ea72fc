/** Log lines: levels by name, no secret, nothing forged (interface 2.5; SPEC 9). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createLogs, type LogRules } from '../../src/telemetry/logs/log.ts';
import { prettyLine } from '../../src/telemetry/logs/log-destination.ts';
import { movableClock } from '../support/clock.ts';

const clock = movableClock(Date.UTC(2030, 0, 1, 12, 0, 0, 7));
const INFO: LogRules = { default: 'info', logs: new Map() };

/** Lines as they are written, with what wrote them. */
function recorded(rules: LogRules = INFO) {
  const lines: string[] = [];
  const logs = createLogs({
    rules,
    destination: { write: (line) => void lines.push(line) },
    clock,
  });
  return { logs, lines };
}

/** Without the time, which a test cannot choose. */
const read = (line: string | undefined): Record<string, unknown> => {
  const { time: _, ...record } = JSON.parse(line ?? '{}');
  return record;
};

describe('A logger', () => {
  const rules: LogRules = {
    default: 'warn',
    logs: new Map([
      ['service', 'info'],
      ['service.api', 'error'],
      ['service.api.auth', 'debug'],
    ]),
  };
  // biome-ignore format: a table
  const rows: [sentence: string, name: string, heard: string[]][] = [
    ['has the default level when it is not configured', 'other',                  ['warn', 'error']],
    ['has its own level',                                'service',                ['info', 'warn', 'error']],
    ['has the level of the name above',                  'service.gate',           ['info', 'warn', 'error']],
    ['has the level of the nearest name above',          'service.api.other.deep', ['error']],
    ['has its own level below another',                  'service.api.auth',       ['debug', 'info', 'warn', 'error']],
    ['does not have that of a name which only begins so', 'service.apian',         ['info', 'warn', 'error']],
  ];
  for (const [sentence, name, heard] of rows) {
    it(sentence, () => {
      const { logs, lines } = recorded(rules);
      for (const level of ['debug', 'info', 'warn', 'error'] as const) logs.named(name)[level]('said');
      assert.deepEqual(
        lines.map(read),
        heard.map((level) => ({ level, logger: name, msg: 'said' })),
      );
    });
  }

  it('changes its level while it is in use', () => {
    const { logs, lines } = recorded();
    const log = logs.named('service.api.auth');
    log.debug('not yet');
    logs.setLevels({ default: 'info', logs: new Map([['service.api', 'debug']]) });
    log.debug('now');
    logs.setLevels(INFO);
    log.debug('no more');
    assert.deepEqual(
      lines.map((line) => read(line)['msg']),
      ['now'],
    );
  });

  it('is the same one under the same name', () => {
    const { logs } = recorded();
    assert.equal(logs.named('service.gate'), logs.named('service.gate'));
  });
});

describe('A line', () => {
  it('has its time to the millisecond', () => {
    const { logs, lines } = recorded();
    for (const seconds of [0, 0.5, 0.493, 86_400]) {
      clock.advance(seconds);
      logs.named('service').info('said');
    }
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).time),
      ['2030-01-01T12:00:00.007Z', '2030-01-01T12:00:00.507Z', '2030-01-01T12:00:01.000Z', '2030-01-02T12:00:01.000Z'],
    );
  });

  it('hides fields that hold secrets, wherever they stand', () => {
    const { logs, lines } = recorded();
    const secret = 'correct-horse';
    logs.named('service').info({
      password: secret,
      token: [secret],
      deep: { Authorization: secret, list: [{ 'set-cookie': [secret], kept: 'this' }] },
      'X-Proxy-Secret': secret,
      cookie: true,
    });
    assert.deepEqual(read(lines[0]), {
      level: 'info',
      logger: 'service',
      password: '***',
      token: '***',
      deep: { Authorization: '***', list: [{ 'set-cookie': '***', kept: 'this' }] },
      'X-Proxy-Secret': '***',
      cookie: true,
    });
  });

  it('hides tokens in whatever text they stand', () => {
    const { logs, lines } = recorded();
    const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ2ZXJhIn0.c2lnbmF0dXJl';
    logs.named('service').info({ path: `/share/${token}/x` }, `with pst_0123456789abcdef_${'a'.repeat(64)} in it`);
    const { path, msg } = read(lines[0]);
    assert.deepEqual([path, msg], ['/share/***/x', 'with *** in it']);
  });

  it('says of a fault what and where it is, and nothing that a library hung on it', () => {
    const { logs, lines } = recorded();
    const cause = Object.assign(new Error('the disk is full'), {
      code: 'ENOSPC',
      config: { password: 'correct-horse' },
    });
    logs.named('service').error({ err: new TypeError('not\nwritten', { cause }) }, 'failed');
    const { err } = read(lines[0]) as { err: { stack?: string[]; cause: { stack?: string[] } } };
    const [frame] = err.stack ?? [];
    delete err.stack;
    delete err.cause.stack;
    assert.deepEqual(err, {
      type: 'TypeError',
      message: 'not\nwritten',
      cause: { type: 'Error', message: 'the disk is full', code: 'ENOSPC' },
    });
    assert.match(frame ?? '', /^at .*log\.test\.ts:\d+:\d+/);
  });

  // biome-ignore format: a table
  const HOSTILE: [sentence: string, text: string][] = [
    ['a line break',                     'x\n{"level":"info","logger":"service.audit","what":"login","verdict":"allowed"}'],
    ['a carriage return',                'x\rroot logged in'],
    ['a colour of a terminal',           '\u001b[31mred\u001b[0m'],
    ['a title of a terminal',            '\u001b]0;owned\u0007'],
    ['the C1 form of the same',          '\u009b2J\u009d0;owned\u009c'],
    ['a delete',                         'ab\u007fc'],
    ['a line break of other readers',    'x\u2028y\u2029z\u0085w'],
    ['a turned order of reading',        '\u202egnp.exe\u202c'],
    ['invisible characters',             'vera\u200b\u2060\ufeff'],
    ['an unseen one outside the plane',  'vera\u{e0041}'],
    ['a quote and a backslash',          '","who":"admin\\'],
    ['half a character',                 '\ud800'],
  ];
  for (const [what, text] of HOSTILE) {
    it(`is one line of plain characters with ${what} in it, as JSON and for a person`, () => {
      const { logs, lines } = recorded();
      logs.named('service').info({ path: text, [text]: text }, text);
      const [line = ''] = lines;
      assert.deepEqual(read(line), {
        level: 'info',
        logger: 'service',
        path: text,
        [text]: text,
        msg: text,
      });
      assertPlain(line, lines.length);
      assertPlain(withoutColours(prettyLine(line)), 1);
    });
  }

  it('is one line of plain characters, whatever is in it', () => {
    const { logs, lines } = recorded();
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        lines.length = 0;
        logs.named('service').info({ text, nested: { [text]: text } }, text);
        assertPlain(lines[0] ?? '', lines.length);
        assertPlain(withoutColours(prettyLine(lines[0] ?? '')), 1);
      }),
    );
  });
});

const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

function assertPlain(line: string, count: number): void {
  assert.equal(count, 1);
  assert.ok(line.endsWith('\n'));
  assert.doesNotMatch(line.slice(0, -1), UNSEEN);
}

const COLOUR = new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, 'g');

/** The printer's own: five of them in each line, around what it says itself. */
function withoutColours(pretty: string): string {
  return pretty.replaceAll(COLOUR, '');
}

describe('A line for a person', () => {
  it('has time, level and logger, then what is said, then the fields', () => {
    const line =
      '{"level":"warn","time":"2026-10-01T12:00:00.123Z","logger":"service.gate","user":"vera","path":"/a b","status":502,"msg":"The NVR does not answer"}';
    const time = new Date('2026-10-01T12:00:00.123Z').toTimeString().slice(0, 8);
    assert.equal(
      withoutColours(prettyLine(line)),
      `${time}.123 WARN  service.gate The NVR does not answer user=vera path="/a b" status=502\n`,
    );
  });

  it('has no colour that came from outside', () => {
    const { logs, lines } = recorded();
    logs.named('service').info({ path: '\u001b[31m' }, '\u001b[31m');
    const pretty = prettyLine(lines[0] ?? '');
    assert.ok(!pretty.includes('\u001b[31m'));
    assert.match(pretty, /\\u001b\[31m/);
  });

  it('is given back as it is when it is no JSON', () => assert.equal(prettyLine('listening\n'), 'listening\n'));
});
