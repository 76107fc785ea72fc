/** List or gallery: kept in this browser. */
import { useState } from 'preact/hooks';
import { Choice } from '../shared/forms/choice.tsx';
import { storeChoice, storedChoice } from '../shared/theme.ts';
import { words } from '../shared/words.ts';

const VIEWS = ['list', 'gallery'] as const;
export type View = (typeof VIEWS)[number];

const KEY = 'postern-view';

const options = (): readonly (readonly [View, string])[] => [
  ['list', words.explore.list],
  ['gallery', words.explore.gallery],
];

export function useView(): [View, (view: View) => void] {
  const [view, setView] = useState(() => storedChoice(KEY, VIEWS, 'list'));
  const choose = (wanted: View): void => {
    storeChoice(KEY, wanted);
    setView(wanted);
  };
  return [view, choose];
}

export const ViewChoice = ({ view, onChoose }: { view: View; onChoose: (view: View) => void }) => (
  <Choice name="view" legend={words.explore.showAs} options={options()} chosen={view} onChoose={onChoose} />
);
