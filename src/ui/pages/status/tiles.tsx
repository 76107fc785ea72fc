/** Lists in tiles of the status page, and the tile of the curtain (SPEC 19). */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useProfile } from '../shared/account.ts';
import { problemOf, sendToApi } from '../shared/api.ts';
import { Choice, Switch } from '../shared/fields.tsx';
import { Problem, Tile } from '../shared/parts.tsx';
import type { FetchedAgain } from '../shared/use-fetched.ts';
import { entryName, formatShortMoment, words } from '../shared/words.ts';
import { curtainEnd, curtainSwitches, type DrawnEntry, LENGTHS, type Length } from './status-rules.ts';

/** `isGrid`: short rows, beside each other where there is room. */
type ListedProps<Row> = {
  rows: readonly Row[];
  none: string;
  isGrid?: boolean;
  row: (row: Row) => ComponentChildren;
};

export const Listed = <Row,>({ rows, none, isGrid = false, row }: ListedProps<Row>) =>
  rows.length === 0 ? (
    <p>{none}</p>
  ) : (
    <ul class={isGrid ? 'listed listed-grid' : 'listed'}>
      {rows.map((one, at) => (
        <li key={String(at)}>{row(one)}</li>
      ))}
    </ul>
  );

type CurtainProps = { curtain: FetchedAgain<{ readonly drawn?: readonly DrawnEntry[] }> };

/** A switch for each camera, who drew it, and until when. */
export function Curtain({ curtain: [curtain, again] }: CurtainProps) {
  const { allowed_cameras: cameras } = useProfile();
  const [length, setLength] = useState<Length>('open');
  const [problem, setProblem] = useState('');
  const text = words.curtain;
  const move = async (name: string, isDrawn: boolean): Promise<void> => {
    setProblem('');
    const answer = await (isDrawn
      ? sendToApi('PUT', 'api/curtain', { cameras: [name], until: curtainEnd(length, new Date()) })
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
            rows={curtainSwitches(curtain.value.drawn ?? [], cameras)}
            row={({ name, by }) => (
              <>
                <Switch isOn={by !== undefined} onChange={(isDrawn) => void move(name, isDrawn)}>
                  <bdi>{entryName(name)}</bdi>
                </Switch>
                {by && <span class="fact-more">{curtainState(name, by)}</span>}
              </>
            )}
          />
        </>
      )}
      <Problem text={problem} />
    </Tile>
  );
}

function curtainState(name: string, { camera, until, by }: DrawnEntry): string {
  const text = words.curtain;
  return [
    text.drawnBy({ name: by }),
    ...(camera !== name ? [text.byPattern({ pattern: camera })] : []),
    ...(until !== null ? [text.until({ moment: formatShortMoment(until) })] : []),
  ].join(', ');
}
