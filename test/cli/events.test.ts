/** `postern events import` and `events generate`, as typed, on real files and a real store (SPEC 1). */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, beforeEach, describe, it } from 'node:test';
import type { CommandStore, Frame } from '../../src/accounts/http/route-commands.ts';
import { configSchema } from '../../src/app/resources/features.ts';
import { openStore } from '../../src/store/open-store.ts';
import { event, FIVE } from '../events/support/event.ts';
import { makeNvrDatabase } from '../events/support/nvr-file.ts';
import { makeScratch } from '../store/support/scratch-store.ts';
import { typed } from '../support/terminal.ts';

const scratch = makeScratch();
after(scratch.remove);

const fileWith = (name: string, text: string): string => {
  const path = join(scratch.directory, name);
  writeFileSync(path, text);
  return path;
};

const openAt = async (url: string, cameras?: readonly string[]): Promise<CommandStore> => {
  const store = await openStore({ url });
  return { store, settings: { nvr: { cameras } }, close: store.close } as unknown as CommandStore;
};

interface Outcome {
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

interface Terminal {
  readonly stdin?: string;
  readonly isTTY?: boolean;
  readonly openStore?: Frame['openStore'];
}

async function type(line: readonly string[], terminal: Terminal = {}): Promise<Outcome> {
  const place = { directory: '.', schema: configSchema, env: {}, clock: { now: () => Date.now() } };
  const { code, out, err } = await typed(['events', ...line], place, {
    openStore: () => openAt(scratch.url),
    ...terminal,
  });
  return { code, stdout: out, stderr: err };
}

const stored = async (): Promise<string[]> => {
  const store = await openStore({ url: scratch.url });
  const rows = await store.db.selectFrom('events').select(['id', 'camera']).orderBy('id').execute();
  await store.close();
  return rows.map(({ id, camera }) => `${id} ${camera}`);
};
const FIVE_STORED = ['1-a front', '2-b front', '3-c back', '4-d garage', '5-e front'];
const LINES = FIVE.map((one) => JSON.stringify(one)).join('\n');

beforeEach(async () => {
  const store = await openStore({ url: scratch.url });
  await store.db.deleteFrom('events').execute();
  await store.close();
});

describe('events import', () => {
  it('says what it read, stored and skipped, file by file', async () => {
    const [good, array, odd] = [
      fileWith('a.ndjson', LINES),
      fileWith('b.json', JSON.stringify(FIVE)),
      fileWith('c.ndjson', `${LINES}\n{"id":7}`),
    ];
    assert.deepEqual(await type(['import', good, array, odd]), {
      code: 0,
      stdout: `${good}: 5 read, 5 stored, 0 skipped\n${array}: 5 read, 5 stored, 0 skipped\n${odd}: 6 read, 5 stored, 1 skipped\n  line 6: id is not a text\n`,
      stderr: '',
    });
    assert.deepEqual(await stored(), FIVE_STORED);
  });

  it('warns of cameras that nvr.cameras does not list, by name', async () => {
    const known = () => openAt(scratch.url, ['front']);
    const { code, stderr } = await type(['import', '-'], { stdin: LINES, openStore: known });
    assert.equal(code, 0);
    assert.equal(
      stderr,
      'warning: nvr.cameras does not list back, garage: custom roles cannot see these events. Add the cameras to nvr.cameras, or remove that key.\n',
    );
    assert.deepEqual(await stored(), FIVE_STORED);
  });

  it('reads standard input', async () => {
    const outcome = await type(['import', '-'], { stdin: LINES });
    assert.deepEqual(outcome, { code: 0, stdout: 'standard input: 5 read, 5 stored, 0 skipped\n', stderr: '' });
    assert.deepEqual(await stored(), FIVE_STORED);
  });

  it("reads an NVR's own database, beside the NVR", async () => {
    const nvr = await makeNvrDatabase([
      ...FIVE.map((one) => JSON.stringify(one)),
      '{"id":"","label":"car","camera":"c","start_time":1,"zones":[],"has_clip":1,"has_snapshot":1,"retain_indefinitely":0,"data":{}}',
    ]);
    assert.deepEqual(await type(['import', nvr.path]), {
      code: 0,
      stdout: `${nvr.path}: 6 read, 5 stored, 1 skipped\n  event : id is not a text\n`,
      stderr: '',
    });
    assert.deepEqual(await stored(), FIVE_STORED);
    await nvr.close();
  });

  it('reads a pipe by its name', async () => {
    const pipe = join(scratch.directory, 'events.pipe');
    execFileSync('mkfifo', [pipe]);
    const written = writeFile(pipe, FIVE.map((one) => JSON.stringify(one)).join('\n'));
    const { code, stdout } = await type(['import', pipe]);
    await written;
    assert.deepEqual([code, stdout], [0, `${pipe}: 5 read, 5 stored, 0 skipped\n`]);
  });

  it('says of a database that is of no NVR what it lacks', async () => {
    const { code, stderr } = await type(['import', scratch.path]);
    assert.equal(code, 1);
    assert.match(stderr, /as the database of an NVR: it has no table "event"/);
  });

  it('says how many more it skipped than it names', async () => {
    const { code, stdout } = await type(['import', fileWith('bad.ndjson', '{}\n'.repeat(13))]);
    assert.equal(code, 1);
    assert.match(
      stdout,
      /13 read, 0 stored, 13 skipped\n {2}line 1, line 2, line 3, line 4, line 5 and 8 more: id is missing\n$/,
    );
  });

  it('reads nothing when one of the files is not there', async () => {
    const absent = join(scratch.directory, 'absent.ndjson');
    const outcome = await type(['import', fileWith('a.ndjson', LINES), absent, scratch.directory]);
    assert.deepEqual(outcome, {
      code: 1,
      stdout: '',
      stderr: `${absent} cannot be read: there is no such file\n${scratch.directory} is a directory: name the files in it\n`,
    });
    assert.deepEqual(await stored(), []);
  });

  it('says of a file of another kind what it is not', async () => {
    const picture = fileWith('picture.png', '\x89PNG\r\n\x1a\n\0\0');
    assert.deepEqual(await type(['import', picture]), {
      code: 1,
      stdout: `${picture}: nothing was imported: it begins with neither "{" nor "[", so it is not JSON\n`,
      stderr: '',
    });
  });

  it('says in a sentence why the store cannot be opened', async () => {
    const outcome = await type(['import', fileWith('a.ndjson', LINES)], {
      openStore: () => openAt(`sqlite:${scratch.directory}/no/such.db`),
    });
    assert.equal(outcome.code, 1);
    assert.match(
      outcome.stderr,
      /^cannot open the store at .*such\.db: check that the directory exists and is writable \(.*\)\n$/,
    );
  });

  it('draws a bar on a terminal, and takes it away', async () => {
    const { stdout, stderr } = await type(['import', fileWith('a.ndjson', LINES)], { isTTY: true });
    const drawn = stderr.replaceAll('\r\u001b[K', '<clear>');
    assert.match(drawn, /^<clear>\[#{24}\] 100 %, 0:00 left, 5 events, \d+\/s .*<clear>$/);
    assert.match(stdout, /5 stored/);
  });

  it("draws one for an NVR's database too, by its rows", async () => {
    const nvr = await makeNvrDatabase(Array.from({ length: 2000 }, (_, n) => JSON.stringify(event({ id: `${n}-a` }))));
    const { stderr } = await type(['import', nvr.path], { isTTY: true });
    await nvr.close();
    assert.match(
      stderr.replaceAll('\r\u001b[K', '<clear>'),
      /^<clear>\[#{6}\.{18}\] 25 %, \d:\d\d left, 500 events, \d+\/s /,
    );
  });
});

describe('events generate', () => {
  const ids = async () => (await stored()).map((line) => line.split(' ')[0]);

  it('stores the same events for the same seed and end', async () => {
    const line = ['generate', '--count', '700', '--seed', '7', '--until', '2026-11-20T12:00:00Z'];
    assert.deepEqual(await type(line), { code: 0, stdout: '700 sample events stored\n', stderr: '' });
    const first = await ids();
    assert.equal(first.length, 700);
    await type(line);
    assert.deepEqual(await ids(), first);
    await type(line.with(4, '8'));
    assert.equal((await ids()).length, 1400);
  });

  it('takes the cameras that are named', async () => {
    await type(['generate', '--count', '50', '--seed', '1', '--cameras', 'north, south']);
    assert.deepEqual([...new Set((await stored()).map((line) => line.split(' ')[1]))].sort(), ['north', 'south']);
  });

  const refused: [sentence: string, line: string[], message: RegExp][] = [
    ['refuses a count that is no number', ['--count', 'many', '--seed', '1'], /Give a whole number/],
    ['refuses a negative count', ['--count=-1', '--seed', '1'], /Give a whole number/],
    ['asks for a seed', ['--count', '1'], /required option '--seed <number>'/],
    ['refuses an empty camera name', ['--count', '1', '--seed', '1', '--cameras', 'a,,b'], /Give camera names/],
    ['refuses an invalid time', ['--count', '1', '--seed', '1', '--until', 'soon'], /is not a time: write 90d/],
  ];
  for (const [sentence, line, message] of refused) {
    it(sentence, () => assert.rejects(type(['generate', ...line]), { message }));
  }
});
