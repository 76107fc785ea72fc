/** Plays a vector against its instance and gathers what came of it. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Received } from '../../support/fake-nvr.ts';
import type { Runtime } from '../../support/start-instance.ts';
import { until } from '../../support/until.ts';
import { behaveWell, FAULTS } from './faults.ts';
import type { Outcome } from './judge.ts';
import { openConnection } from './raw-connection.ts';
import type { Vector } from './vector.ts';
import { rawOf, type VectorInstances } from './vector-instances.ts';

export interface Replay {
  readonly vector: Vector;
  readonly instances: VectorInstances;
  /** Where to cut the bytes into pieces that arrive one by one. */
  readonly cuts?: (raw: string) => readonly number[];
}

/** A request of an unknown caller on its own connection, which no attack may reach or delay. */
const WITNESS = '/locales/en/common.json?witness';

export async function replay({ vector, instances, cuts = () => [] }: Replay): Promise<Outcome> {
  const instance = await instances.instanceFor(vector.setup);
  await begin(vector, instances, instance);
  const raw = await rawOf(vector, instance);
  const connection = await openConnection(portOf(vector, instance));
  await connection.send(raw, cuts(raw));
  if (vector.setup.clientAction === 'reset-before-answer') {
    await until('the request arrives at the NVR', () => instances.nvr.received.length > 0);
    const [upstream] = instances.nvr.sockets;
    assert.ok(upstream, 'the NVR has the connection');
    const closed = once(upstream, 'close', {
      signal: AbortSignal.timeout(vector.setup.upstreamMustCloseWithinMs ?? 0),
    });
    connection.reset();
    await closed;
  } else {
    await connection.settled();
  }
  await assertUnharmed(instances, instance, vector);
  const [first] = connection.answers();
  const text = connection.text();
  connection.close();
  return { status: first?.status ?? headStatus(text), text, received: seen(instances) };
}

/** The same bytes again and again, each on a connection of its own; `{{I}}` counts. */
export async function replayRepeatedly({ vector, instances }: Replay): Promise<Outcome[]> {
  const instance = await instances.instanceFor(vector.setup);
  instance.clock.advance(3600); // earlier vectors' failures are out of every window
  await begin(vector, instances, instance);
  const raw = await rawOf(vector, instance);
  const outcomes: Outcome[] = [];
  for (let attempt = 1; attempt <= (vector.setup.repeat ?? 1); attempt += 1) {
    const connection = await openConnection(portOf(vector, instance));
    await connection.send(raw.replaceAll('{{I}}', String(attempt)));
    await connection.settled();
    const text = connection.text();
    connection.close();
    outcomes.push({ status: headStatus(text), text, received: seen(instances) });
  }
  return outcomes;
}

async function begin({ setup }: Vector, { nvr }: VectorInstances, instance: Runtime): Promise<void> {
  behaveWell(nvr);
  instance.log.length = 0;
  for (const socket of nvr.sockets) socket.destroy();
  await until('connections of earlier vectors are gone', () => nvr.sockets.size === 0);
  nvr.received.length = 0;
  if (setup.upstream !== undefined && setup.upstream !== 'refused') {
    const fault = FAULTS[setup.upstream] ?? assert.fail(`no fault is called ${setup.upstream}`);
    fault(nvr);
  }
}

/** Another client is served, from the same process, by an NVR connection that the attack may have used. */
export async function assertUnharmed({ nvr }: VectorInstances, instance: Runtime, { setup }: Vector): Promise<void> {
  behaveWell(nvr);
  const isProxied = setup.mode === 'proxy';
  const path = isProxied || setup.upstream === 'refused' ? '/login' : WITNESS;
  const answer = await fetch(`${instance.url}${path}`);
  const body = await answer.text();
  if (path === WITNESS) {
    assert.deepEqual([answer.status, body], [200, JSON.stringify({ method: 'GET', target: WITNESS, bodyBytes: 0 })]);
  }
  assert.ok(answer.status < 500, `the witness was answered ${answer.status}`);
  assert.deepEqual(faultsIn(instance), []);
}

const ERROR_LEVEL = 50;
const faultsIn = ({ log }: Runtime): unknown[] =>
  log.filter(({ level }) => level === 'error' || level === 'fatal' || Number(level) >= ERROR_LEVEL);

/** Without the requests of the anonymous witness, and the gate's own. */
const seen = ({ nvr }: VectorInstances): Received[] => nvr.received.filter((request) => request.target !== WITNESS);

const portOf = ({ setup }: Vector, instance: Runtime): number =>
  setup.port === 'int' ? instance.internalPort : instance.port;

/** Of an answer that was cut as well. */
function headStatus(text: string): number | undefined {
  const found = /(?:^|\r\n\r\n)HTTP\/1\.[01] (?!1(?!01)\d\d)(\d{3})/.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}
