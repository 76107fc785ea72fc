/** Chooses cameras: a switch for each known camera, and patterns for future ones (SPEC 4.3). */
import { useState } from 'preact/hooks';
import { camerasOf, matchesEntry } from '../shared/camera-pattern.ts';
import { Switch, TextField } from '../shared/form-fields.tsx';
import { Icon } from '../shared/icon.tsx';
import { words } from '../shared/words.ts';

interface CameraChoiceProps {
  readonly known: readonly string[];
  /** Names, and patterns with `*`. */
  readonly entries: readonly string[];
  readonly onChange: (entries: readonly string[]) => void;
}

export function CameraChoice({ known, entries, onChange }: CameraChoiceProps) {
  const others = entries.filter((entry) => !known.includes(entry));
  const without = (entry: string): readonly string[] => entries.filter((kept) => kept !== entry);
  return (
    <fieldset class="camera-choice">
      <legend>{words.common.cameras}</legend>
      {known.length === 0 && <p class="field-help">{words.roles.noneKnown}</p>}
      <div class="switches">
        {known.map((camera) => (
          <Switch
            key={camera}
            isOn={entries.includes(camera)}
            onChange={(isOn) => onChange(isOn ? [...entries, camera] : without(camera))}
          >
            <bdi>{camera}</bdi>
            <PatternFor camera={camera} patterns={others} />
          </Switch>
        ))}
      </div>
      {others.length > 0 && (
        <ul class="entries">
          {others.map((entry) => (
            <li key={entry} class="entry">
              <bdi class="chip">{entry}</bdi>
              <bdi class="field-help">{words.roles.matches(camerasOf([entry], known))}</bdi>
              <button
                class="button button-plain button-small"
                type="button"
                aria-label={words.roles.remove(entry)}
                onClick={() => onChange(without(entry))}
              >
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <AddEntry onAdd={(entry) => !entries.includes(entry) && onChange([...entries, entry])} />
    </fieldset>
  );
}

function PatternFor({ camera, patterns }: { camera: string; patterns: readonly string[] }) {
  const pattern = patterns.find((entry) => matchesEntry(entry, camera));
  return pattern === undefined ? null : <bdi class="chip">{pattern}</bdi>;
}

function AddEntry({ onAdd }: { onAdd: (entry: string) => void }) {
  const [entry, setEntry] = useState('');
  const add = (): void => {
    if (entry.trim() !== '') onAdd(entry.trim());
    setEntry('');
  };
  return (
    <div class="add-entry">
      <TextField
        label={words.roles.pattern}
        value={entry}
        onChange={setEntry}
        help={words.roles.patternHelp}
        isOptional
        onEnter={add}
      />
      <button class="button" type="button" disabled={entry.trim() === ''} onClick={add}>
        {words.roles.addPattern}
      </button>
    </div>
  );
}
