/** The curtain on the page Live: a switch at each camera, and all at once (SPEC 19). */
import { useLayoutEffect, useState } from 'preact/hooks';
import { isAdmin, useProfile } from '../../../ui/pages/shared/account.ts';
import { problemOf, sendToApi, useRefreshed, valueOr } from '../../../ui/pages/shared/api.ts';
import { Switch } from '../../../ui/pages/shared/fields.tsx';
import { Menu } from '../../../ui/pages/shared/menu.tsx';
import { Button, Icon } from '../../../ui/pages/shared/parts.tsx';
import type { Slots } from '../../../ui/pages/shared/pieces.tsx';
import { cameraName, formatShortMoment, words } from '../../../ui/pages/shared/words.ts';
import {
  curtainEnd,
  curtainSwitches,
  type CurtainSwitch as Drawable,
  type DrawnEntry,
  LENGTHS,
  type Length,
} from './curtain-rules.ts';

/** Draws them for that length, or opens them. */
type Move = (names: readonly string[], length?: Length) => Promise<void>;

const NOTHING: { readonly drawn?: readonly DrawnEntry[] } = {};

/** The menu beside the title, for admins. The page shows the switches of its cameras. */
export function Curtain({ cameras, show }: Slots['live']) {
  const mayMove = isAdmin(useProfile());
  const [fetched, again] = useRefreshed<typeof NOTHING>(mayMove && 'api/curtain');
  const [problem, setProblem] = useState('');
  const { drawn = [] } = valueOr(fetched, NOTHING);
  const move: Move = async (names, length) => {
    const end = length && { until: curtainEnd(length, new Date()) };
    const answer = await sendToApi(end ? 'PUT' : 'DELETE', 'api/curtain', { cameras: names, ...end });
    setProblem(answer.kind === 'ok' ? '' : problemOf(answer));
    again();
  };
  const switches = curtainSwitches(drawn, cameras).map((one) => ({ move, one }));
  useLayoutEffect(() => {
    if (!mayMove) return;
    show({
      problem: fetched.kind === 'failed' ? fetched.problem : problem,
      onCamera: new Map(switches.map((given) => [given.one.name, <CurtainSwitch key="curtain" {...given} />])),
    });
  }, [fetched, problem, cameras]);
  if (!mayMove) return null;
  const text = words.curtain;
  return (
    <Menu class="filter" align="end" label={<span>{text.title}</span>}>
      <div class="wall-menu">
        <p class="menu-note">{words.access.drawn}</p>
        <p>{text.drawAll}</p>
        <Lengths lengths={LENGTHS} onChoose={(length) => move(cameras, length)} />
        {drawn.length > 0 && <Button onPress={() => move(drawn.map(({ camera }) => camera))}>{text.openAll}</Button>}
        {switches.slice(cameras.length).map((given) => (
          <CurtainSwitch key={given.one.name} {...given} text={given.one.name} />
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

type CurtainSwitchProps = { move: Move; one: Drawable; text?: string };

/** An icon on a tile, by the styles of the wall. What was just drawn without an end can be given one. */
function CurtainSwitch({ move, one: { name, by }, text }: CurtainSwitchProps) {
  const [isNew, setIsNew] = useState(false);
  const onChange = (isDrawn: boolean): void => {
    setIsNew(isDrawn);
    void move([name], isDrawn ? 'open' : undefined);
  };
  const state = by && [
    words.curtain.drawnBy({ name: by.by }),
    by.camera !== name && words.curtain.byPattern({ pattern: by.camera }),
    by.until !== null && words.status.blocks.until({ moment: formatShortMoment(by.until) }),
  ];
  const label = (
    <>
      <Icon name={by ? 'hidden' : 'eye'} />
      <bdi>{text ?? `${words.curtain.title}: ${cameraName(name)}`}</bdi>
    </>
  );
  return (
    <div class={by ? 'wall-curtain is-drawn' : 'wall-curtain'}>
      <Switch label={label} value={by !== undefined} onChange={onChange} />
      {by && <span class="fact-more">{state?.filter(Boolean).join(', ')}</span>}
      {isNew && by?.camera === name && by.until === null && (
        <Lengths lengths={['hour', 'night']} onChoose={(length) => move([name], length)} />
      )}
    </div>
  );
}
