/** List or gallery: kept in this browser. */
import { useState } from 'preact/hooks';
import { Choice } from '../shared/choice.tsx';
import { keepChoice, keptChoice } from '../shared/kept-choice.ts';

const VIEWS = ['list', 'gallery'] as const;
export type View = (typeof VIEWS)[number];

const KEY = 'postern-view';

const OPTIONS: readonly (readonly [View, string])[] = [
  ['list', 'List'],
  ['gallery', 'Gallery'],
];

export function useView(): [View, (view: View) => void] {
  const [view, setView] = useState(() => keptChoice(KEY, VIEWS, 'list'));
  const choose = (wanted: View): void => {
    keepChoice(KEY, wanted);
    setView(wanted);
  };
  return [view, choose];
}

export const ViewChoice = ({ view, onChoose }: { view: View; onChoose: (view: View) => void }) => (
  <Choice name="view" legend="Show as" options={OPTIONS} chosen={view} onChoose={onChoose} />
);
