/** An NVR that breaks, or was broken into: its clients are told, or cut off, and none of them is misled (SPEC 6). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { VERA } from '../support/people.ts';
import { until } from '../support/until.ts';
import { FAULTS } from './support/faults.ts';
import { openConnection } from './support/raw-connection.ts';
import { assertUnharmed } from './support/replay.ts';
import type { VectorSetup } from './support/vector.ts';
import { startVectorInstances, type VectorInstances } from './support/vector-instances.ts';
import { HOST, head, UPGRADE } from './support/watched-instance.ts';

let instances: VectorInstances;
before(async () => {
  instances = await startVectorInstances();
});
after(() => instances.close());

interface Seen {
  readonly text: string;
  /** The status of an answer that came whole. */
  readonly status: number | 'cut' | 'nothing';
}

async function answerOf(fault: string, lines: readonly string[] = []): Promise<Seen> {
  const upstream: Pick<VectorSetup, 'upstream'> = fault === 'hang' ? { upstream: 'hang' } : {};
  const setup: VectorSetup = { port: 'ext', mode: 'builtin', ...upstream };
  const instance = await instances.instanceFor(setup);
  const bearer = `Authorization: Bearer ${await instance.logIn(VERA)}`;
  FAULTS[fault]?.(instances.nvr);
  const connection = await openConnection(instance.port);
  const path = lines.length > 0 ? '/ws' : '/api/version';
  await connection.send(head(`GET ${path} HTTP/1.1`, HOST, bearer, lines, lines.length > 0 ? [] : 'Connection: close'));
  if (fault === 'endless-body') {
    await until('the answer streams', () => connection.text().length > 200_000);
    for (const socket of instances.nvr.sockets) socket.resetAndDestroy();
    await until('the answer is cut', () => connection.isClosed());
  } else await connection.settled();
  connection.close();
  await assertUnharmed(instances, instance, {
    id: '',
    class: '',
    raw: '',
    expect: { status: [], upstreamMustNotSee: {} },
    setup,
  });
  const [whole] = connection.answers();
  const text = connection.text();
  return { text, status: whole?.status ?? (text.startsWith('HTTP/1.1 200 ') ? 'cut' : 'nothing') };
}

describe('An answer of the NVR', () => {
  // biome-ignore format: a table
  const rows: [story: string, fault: string, statuses: Seen['status'][]][] = [
    ['that ends before its length',                   'close-mid-body',              ['cut']],
    ['that turns to garbage behind a good chunk',     'bad-chunk-after-good',        ['cut']],
    ['that never ends, of an NVR that does',          'endless-body',                ['cut']],
    ['that changes the protocol, unasked',            '101-unasked',                 [502]],
    ['with a control character in its status line',   'status-message-control-char', [200, 502]],
    ['of a status below all statuses',                'status-099',                  [502]],
    ['that announces trailers that cannot be',        'trailer-with-content-length', [200, 502]],
    ['in an unknown transfer coding ',                 'te-unknown',                  [502]],
    ['with a head of 100 KB',                         'header-100KB',                [502]],
    ['with two ways to tell its end',                 'cl-and-te',                   [502]],
    ['that carries an identity header',                   'set-remote-role',             [200]],
    ['that never comes',                              'hang',                        [504]],
  ];
  for (const [story, fault, statuses] of rows) {
    it(`${story}: ${statuses.join(' or ')}`, async () => {
      const { status, text } = await answerOf(fault);
      assert.ok(statuses.includes(status), `${status}: ${JSON.stringify(text.slice(0, 300))}`);
      assert.doesNotMatch(text, /\r\n(?:remote-|x-proxy-secret|x-accel-|x-s:|trailer:)/i);
    });
  }

  it('to an upgrade, which never comes: 504', async () => {
    assert.equal((await answerOf('hang', UPGRADE)).status, 504);
  });

  it('to an upgrade that it refuses: refused, and the connection ends there', async () => {
    const { status, text } = await answerOf('refuse-ws-403-keepalive', UPGRADE);
    // The socket of a viewer is Postern's own, as is its refusal; that of an admin is the NVR's.
    assert.ok(status === 403 || status === 502, `answered ${status}`);
    assert.match(text, /\r\nconnection: close\r\n/i);
  });
});
