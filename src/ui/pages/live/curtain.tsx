/** The curtain on the page Live: a switch at each camera, and all at once (SPEC 19). */
import { useState } from 'preact/hooks';
import { type ApiResponse, problemOf, sendToApi, useRefreshed, valueOr } from '../shared/api.ts';
import { Switch } from '../shared/fields.tsx';
import { Menu } from '../shared/menu.tsx';
import { Button, Icon } from '../shared/parts.tsx';
import { cameraName, formatShortMoment, words } from '../shared/words.ts';
import {
  curtainEnd,
  curtainSwitches,
  type CurtainSwitch as Drawable,
  type DrawnEntry,
  LENGTHS,
  type Length,
} from './curtain-rules.ts';

type Curtain = NonNullable<ReturnType<typeof useCurtain>>;

const NOTHING: { readonly drawn?: readonly DrawnEntry[] } = {};

/** What is drawn, and how to draw and open it; undefined for a person who may not. */
export function useCurtain(mayMove: boolean, cameras: readonly string[]) {
  const [fetched, again] = useRefreshed<typeof NOTHING>(mayMove && 'api/curtain');
  const [problem, setProblem] = useState('');
  if (!mayMove) return undefined;
  const report = (answer: ApiResponse): void => {
    setProblem(answer.kind === 'ok' ? '' : problemOf(answer));
    again();
  };
  const { drawn = [] } = valueOr(fetched, NOTHING);
  return {
    drawn,
    switches: curtainSwitches(drawn, cameras),
    /** Why the last move failed, or nothing is known; '' when all is well. */
    problem: fetched.kind === 'failed' ? fetched.problem : problem,
    draw: async (cameras: readonly string[], length: Length): Promise<void> =>
      report(await sendToApi('PUT', 'api/curtain', { cameras, until: curtainEnd(length, new Date()) })),
    open: async (cameras: readonly string[]): Promise<void> =>
      report(await sendToApi('DELETE', 'api/curtain', { cameras })),
  };
}

export function CurtainMenu({ curtain, cameras }: { curtain: Curtain; cameras: readonly string[] }) {
  const text = words.curtain;
  const { drawn, switches, draw, open } = curtain;
  const label = (
    <>
      <span>{text.title}</span>
      <Icon name="chevron" />
    </>
  );
  return (
    <Menu class="filter" align="end" label={label}>
      <div class="curtain-menu">
        <p class="menu-note">{text.why}</p>
        <p>{text.drawAll}</p>
        <Lengths lengths={LENGTHS} onChoose={(length) => draw(cameras, length)} />
        {drawn.length > 0 && <Button onPress={() => open(drawn.map(({ camera }) => camera))}>{text.openAll}</Button>}
        {switches.slice(cameras.length).map((one) => (
          <CurtainSwitch key={one.name} {...{ curtain, one }} text={one.name} />
        ))}
      </div>
    </Menu>
  );
}

const Lengths = ({ lengths, onChoose }: { lengths: readonly Length[]; onChoose: (length: Length) => unknown }) => (
  <div class="chips">
    {lengths.map((length) => (
      <Button key={length} kind="small" onPress={() => onChoose(length)}>
        {words.curtain.lengths[length]}
      </Button>
    ))}
  </div>
);

type CurtainSwitchProps = { curtain: Curtain; one: Drawable; text?: string };

/** An icon on a tile, by the styles of the wall. What was just drawn without an end can be given one. */
export function CurtainSwitch({ curtain: { draw, open }, one: { name, by }, text }: CurtainSwitchProps) {
  const [isNew, setIsNew] = useState(false);
  const onChange = (isDrawn: boolean): void => {
    setIsNew(isDrawn);
    void (isDrawn ? draw([name], 'open') : open([name]));
  };
  const label = (
    <>
      <Icon name={by ? 'hidden' : 'eye'} />
      <bdi>{text ?? `${words.curtain.title}: ${cameraName(name)}`}</bdi>
    </>
  );
  return (
    <div class={by ? 'wall-curtain is-drawn' : 'wall-curtain'}>
      <Switch label={label} value={by !== undefined} onChange={onChange} />
      {by && <span class="fact-more">{stateText(name, by)}</span>}
      {isNew && by?.camera === name && by.until === null && (
        <Lengths lengths={['hour', 'night']} onChoose={(length) => draw([name], length)} />
      )}
    </div>
  );
}

function stateText(name: string, { camera, until, by }: DrawnEntry): string {
  const text = words.curtain;
  return [
    text.drawnBy({ name: by }),
    ...(camera !== name ? [text.byPattern({ pattern: camera })] : []),
    ...(until !== null ? [words.status.blocks.until({ moment: formatShortMoment(until) })] : []),
  ].join(', ');
}
