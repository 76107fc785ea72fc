/** The tile of the canary: what its last round found, and a round by hand (SPEC 8, 15). */
import { useState } from 'preact/hooks';
import { sendToApi } from '../shared/api.ts';
import { problemOf } from '../shared/forms/problem-of.ts';
import { formatShortMoment } from '../shared/times.ts';
import { words } from '../shared/words.ts';
import type { ReadStatus } from './read-status.ts';
import { Listed, Tile } from './tile.tsx';

/** `onRun`: a round is over, so that the status is another one. */
export function Canary({ canary, onRun }: { canary: ReadStatus['canary']; onRun: () => void }) {
  const { title, off, results, asked, unknown, anyCamera } = words.status.canary;
  if (!canary) {
    return (
      <Tile title={title} isTold>
        <p class="field-help">{off}</p>
        <RunNow onRun={onRun} />
      </Tile>
    );
  }
  const { result, at, leaks, unknownOperations } = canary;
  const isWell = result === 'clean' || result === 'idle';
  return (
    <Tile title={title} isTold isWide={leaks.length > 0}>
      <p class={`reach reach-${isWell ? 'ok' : 'failed'}`}>{results[result]}</p>
      <p class="field-help">
        {formatShortMoment(at)}
        {canary.asked > 0 && `, ${asked(canary.asked)}`}
      </p>
      {leaks.length > 0 && (
        <Listed
          none=""
          rows={leaks.map(({ route, camera }) => (
            <>
              <code>
                <bdi>{route}</bdi>
              </code>{' '}
              <bdi>{camera ?? anyCamera}</bdi>
            </>
          ))}
        />
      )}
      {(unknownOperations?.length ?? 0) > 0 && <p class="field-help">{unknown(unknownOperations?.length ?? 0)}</p>}
      <RunNow onRun={onRun} />
    </Tile>
  );
}

function RunNow({ onRun }: { onRun: () => void }) {
  const [isRunning, setRunning] = useState(false);
  const [problem, setProblem] = useState('');
  const run = async (): Promise<void> => {
    setRunning(true);
    setProblem('');
    const answer = await sendToApi('POST', 'api/status/canary');
    setRunning(false);
    if (answer.kind === 'ok') onRun();
    else setProblem(problemOf(answer));
  };
  const { runNow, running } = words.status.canary;
  return (
    <>
      <p>
        <button class="button" type="button" disabled={isRunning} onClick={() => void run()}>
          {isRunning ? running : runNow}
        </button>
      </p>
      <div class="notice notice-bad" role="alert">
        {problem !== '' && <bdi>{problem}</bdi>}
      </div>
    </>
  );
}
