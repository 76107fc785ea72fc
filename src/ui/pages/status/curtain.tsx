/** The tile of the curtain: a switch for each camera, who drew it, and until when (SPEC 19). */
import { useState } from 'preact/hooks';
import { sendToApi } from '../shared/api.ts';
import { Choice } from '../shared/forms/choice.tsx';
import { Switch } from '../shared/forms/form-fields.tsx';
import { problemOf } from '../shared/forms/problem-of.ts';
import { entryName } from '../shared/names.ts';
import { formatShortMoment } from '../shared/times.ts';
import type { FetchedAgain } from '../shared/use-fetched.ts';
import { words } from '../shared/words.ts';
import { type DrawnEntry, endOf, LENGTHS, type Length, switchesOf } from './status-rules.ts';
import { Listed, Problem, Tile } from './tile.tsx';

interface CurtainProps {
  readonly curtain: FetchedAgain<{ readonly drawn?: readonly DrawnEntry[] }>;
  readonly cameras: readonly string[];
}

export function Curtain({ curtain: [curtain, again], cameras }: CurtainProps) {
  const [length, setLength] = useState<Length>('open');
  const [problem, setProblem] = useState('');
  const text = words.curtain;
  const move = async (name: string, isDrawn: boolean): Promise<void> => {
    setProblem('');
    const answer = await (isDrawn
      ? sendToApi('PUT', 'api/curtain', { cameras: [name], until: endOf(length, new Date()) })
      : sendToApi('DELETE', 'api/curtain', { cameras: [name] }));
    if (answer.kind !== 'ok') setProblem(problemOf(answer));
    again();
  };
  return (
    <Tile title={text.title} isTold={curtain.kind !== 'failed'} isWide>
      <p class="field-help">{text.why}</p>
      {curtain.kind === 'ready' && (
        <>
          <Choice
            name="curtain-length"
            legend={text.howLong}
            isLegendShown
            options={LENGTHS.map((option) => [option, text.lengths[option]] as const)}
            chosen={length}
            onChoose={setLength}
          />
          <Listed
            none={text.none}
            isGrid
            rows={switchesOf(curtain.value.drawn ?? [], cameras)}
            row={({ name, by }) => (
              <>
                <Switch isOn={by !== undefined} onChange={(isDrawn) => void move(name, isDrawn)}>
                  <bdi>{entryName(name)}</bdi>
                </Switch>
                {by && <span class="fact-more">{stateOf(name, by)}</span>}
              </>
            )}
          />
        </>
      )}
      <Problem text={problem} />
    </Tile>
  );
}

function stateOf(name: string, { camera, until, by }: DrawnEntry): string {
  const text = words.curtain;
  return [
    text.drawnBy({ name: by }),
    ...(camera !== name ? [text.byPattern({ pattern: camera })] : []),
    ...(until !== null ? [text.until({ moment: formatShortMoment(until) })] : []),
  ].join(', ');
}
