/** The tile of the curtain: a switch for each camera and each group, who drew it, and until when (SPEC 19). */
import { useState } from 'preact/hooks';
import { sendToApi } from '../shared/api.ts';
import { Choice } from '../shared/forms/choice.tsx';
import { Switch } from '../shared/forms/form-fields.tsx';
import { problemOf } from '../shared/forms/problem-of.ts';
import { useRefreshed } from '../shared/live/use-refreshed.ts';
import { nameHere, useSites } from '../shared/sites.ts';
import { formatShortMoment } from '../shared/times.ts';
import { useFetched } from '../shared/use-fetched.ts';
import { words } from '../shared/words.ts';
import {
  type CurtainSwitch,
  endOf,
  LENGTHS,
  type Length,
  readCameras,
  readCurtain,
  switchesOf,
} from './read-curtain.ts';
import { Listed, Tile } from './tile.tsx';

export function Curtain() {
  const [curtain, again] = useRefreshed('api/curtain', readCurtain);
  const [cameras] = useFetched('api/access', readCameras);
  const [length, setLength] = useState<Length>('open');
  const [problem, setProblem] = useState('');
  const sites = useSites();
  const text = words.status.curtain;
  const known = cameras.kind === 'ready' ? cameras.value : [];
  const switches = curtain.kind === 'ready' ? switchesOf(curtain.value, known, (entry) => nameHere(entry, sites)) : [];
  const move = async ({ cameras: entries }: CurtainSwitch, isDrawn: boolean): Promise<void> => {
    setProblem('');
    const answer = await (isDrawn
      ? sendToApi('PUT', 'api/curtain', { cameras: entries, until: endOf(length, new Date()) })
      : sendToApi('DELETE', 'api/curtain', { cameras: entries }));
    if (answer.kind !== 'ok') setProblem(problemOf(answer));
    again();
  };
  return (
    <Tile title={text.title} isTold={curtain.kind !== 'failed'} isWide>
      <p class="field-help">{text.why}</p>
      {curtain.kind === 'ready' && cameras.kind !== 'loading' && (
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
            rows={switches.map((one) => (
              <>
                <Switch isOn={one.by.length > 0} onChange={(isDrawn) => void move(one, isDrawn)}>
                  <bdi>{one.kind === 'group' ? text.group(one.name) : one.name}</bdi>
                </Switch>
                {one.by.length > 0 && <span class="fact-more">{stateOf(one)}</span>}
              </>
            ))}
          />
        </>
      )}
      <div class="notice notice-bad" role="alert">
        {problem !== '' && <bdi>{problem}</bdi>}
      </div>
    </Tile>
  );
}

function stateOf({ kind, name, by }: CurtainSwitch): string {
  const [entry] = by;
  if (!entry) return '';
  const text = words.status.curtain;
  const ends = by.map(({ until }) => until).filter((until) => until !== null);
  return [
    text.drawnBy(entry.by),
    ...(kind === 'camera' && entry.camera !== name ? [text.byPattern(entry.camera)] : []),
    ...(ends.length > 0 ? [text.until(formatShortMoment(Math.min(...ends)))] : []),
    ...(entry.for ? [text.forRoles(entry.for.join(', '))] : []),
  ].join(', ');
}
