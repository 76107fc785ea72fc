/** The tile of the canary: what its last round found (SPEC 8, 15). */
import { formatShortMoment } from '../shared/times.ts';
import { words } from '../shared/words.ts';
import type { ReadStatus } from './read-status.ts';
import { Listed, Tile } from './tile.tsx';

export function Canary({ canary }: { canary: ReadStatus['canary'] }) {
  const { title, off, results, asked, unknown, anyCamera } = words.status.canary;
  if (!canary) {
    return (
      <Tile title={title} isTold>
        <p class="field-help">{off}</p>
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
    </Tile>
  );
}
