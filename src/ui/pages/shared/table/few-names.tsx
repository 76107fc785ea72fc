/** Names in one line: the first few, and a button that shows the others. */
import { useState } from 'preact/hooks';
import { words } from '../words.ts';

interface FewNamesProps {
  readonly names: readonly string[];
  readonly none: string;
}

const SHOWN = 3;

export function FewNames({ names, none }: FewNamesProps) {
  const [isWhole, setIsWhole] = useState(false);
  if (names.length === 0) return <>{none}</>;
  // A button for one name is no shorter than the name.
  const shown = isWhole || names.length <= SHOWN + 1 ? names : names.slice(0, SHOWN);
  const hidden = names.length - SHOWN;
  return (
    <span class={isWhole ? 'chips' : 'chips chips-few'}>
      {shown.map((name) => (
        <bdi key={name} class="chip" title={name}>
          {name}
        </bdi>
      ))}
      {names.length > SHOWN + 1 && (
        <button class="chip chip-button" type="button" aria-expanded={isWhole} onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? '−' : `+${hidden}`}
          <span class="out-of-sight">
            {' '}
            {isWhole ? words.ui.table.showFewer : words.ui.table.showAll({ number: names.length })}
          </span>
        </button>
      )}
    </span>
  );
}
