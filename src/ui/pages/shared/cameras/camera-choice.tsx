/** Chooses cameras: known ones by search, group or one by one, and patterns for future ones (SPEC 4.3). */
import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { Fault, Switch, TextField } from '../fields.tsx';
import { useFault } from '../forms.tsx';
import { Button, Icon, PressChip } from '../parts.tsx';
import { FewNames, SearchBox } from '../record-table.tsx';
import { matching } from '../table-rows.ts';
import { cameraName, entryName, words } from '../words.ts';
import { type CameraGroup, groupCameras, matchCameras } from './camera-groups.ts';

interface CameraChoiceProps {
  readonly known: readonly string[];
  /** Names, and patterns with `*`. */
  readonly value: readonly string[];
  readonly onChange: (entries: readonly string[]) => void;
  /** Names alone may be chosen. */
  readonly isOfNames?: boolean;
}

/** So few cameras are seen at a glance. */
const FEW_CAMERAS = 8;

export function CameraChoice({ known, value: entries, onChange, isOfNames = false }: CameraChoiceProps) {
  const [query, setQuery] = useState('');
  const id = useId();
  const fault = useFault('cameras', entries.length === 0 ? words.roles.needsOne : undefined);
  const others = entries.filter((entry) => !known.includes(entry));
  const shown = matching(known, query, (camera) => `${camera}\n${cameraName(camera)}`);
  const without = (gone: readonly string[]): readonly string[] => entries.filter((kept) => !gone.includes(kept));
  const withAll = (more: readonly string[]): readonly string[] => [...new Set([...entries, ...more])];
  const isWhole = ({ cameras }: CameraGroup): boolean => cameras.every((camera) => entries.includes(camera));
  return (
    <fieldset
      class="camera-choice"
      data-fault={fault}
      aria-describedby={fault === undefined ? undefined : `${id}-fault`}
    >
      <legend>
        {words.ui.common.cameras}{' '}
        <span class="field-help">
          {words.ui.cameraChoice.chosen({ chosen: matchCameras(entries, known).length, all: known.length })}
        </span>
      </legend>
      <Fault {...{ id, fault }} />
      {known.length === 0 && <p class="field-help">{words.roles.noneKnown}</p>}
      {known.length > FEW_CAMERAS && (
        <div class="camera-tools">
          <SearchBox label={words.ui.cameraChoice.search} value={query} onChange={setQuery} />
          <Button kind="small" onPress={() => onChange(withAll(shown))}>
            {shown.length === known.length
              ? words.ui.cameraChoice.all
              : words.ui.cameraChoice.these({ number: shown.length })}
          </Button>
          <Button kind="small" onPress={() => onChange(without(shown))}>
            {words.ui.cameraChoice.none}
          </Button>
        </div>
      )}
      {known.length > FEW_CAMERAS && query === '' && (
        // Each chooses its cameras, or drops them when all are chosen.
        <CameraGroups
          known={known}
          isOn={isWhole}
          onPress={(group) => onChange([...without(group.cameras), ...(isWhole(group) ? [] : group.cameras)])}
        />
      )}
      <div class={known.length > FEW_CAMERAS ? 'switches switches-many' : 'switches'}>
        {shown.map((camera) => {
          const pattern = others.find((entry) => matchCameras([entry], [camera]).length > 0);
          return (
            <Switch
              key={camera}
              label={
                <>
                  <bdi>{cameraName(camera)}</bdi>
                  {pattern !== undefined && <bdi class="chip">{entryName(pattern)}</bdi>}
                </>
              }
              value={entries.includes(camera)}
              onChange={(isOn) => onChange(isOn ? withAll([camera]) : without([camera]))}
            />
          );
        })}
        {shown.length === 0 && known.length > 0 && <p class="field-help">{words.ui.table.noMatch}</p>}
      </div>
      {others.length > 0 && (
        <ul class="entries">
          {others.map((entry) => (
            <li key={entry} class="row entry">
              <bdi class="chip">{entryName(entry)}</bdi>
              <span class="field-help">
                <FewNames names={matchCameras([entry], known).map(cameraName)} none={words.roles.noCamera} />
              </span>
              <Button
                kind="plain small"
                aria-label={words.roles.remove({ entry: entryName(entry) })}
                onPress={() => onChange(without([entry]))}
              >
                <Icon name="close" />
              </Button>
            </li>
          ))}
        </ul>
      )}
      {!isOfNames && <AddEntry isOpen={known.length === 0} onAdd={(entry) => onChange(withAll([entry]))} />}
    </fieldset>
  );
}

interface NarrowedCamerasProps extends Omit<CameraChoiceProps, 'value' | 'onChange'> {
  /** Undefined: all that the role sees. */
  readonly value: readonly string[] | undefined;
  /** Chosen when the switch is put on. */
  readonly first?: readonly string[] | undefined;
  readonly onChange: (entries: readonly string[] | undefined) => void;
  /** What stands between the switch and the cameras. */
  readonly children?: ComponentChildren;
}

/** A switch, and the choice of cameras below it. */
export const NarrowedCameras = ({ value, first = [], onChange, children, ...choice }: NarrowedCamerasProps) => (
  <>
    <Switch
      label={words.tokens.narrow}
      value={value !== undefined}
      onChange={(isOn) => onChange(isOn ? matchCameras(first, choice.known) : undefined)}
    />
    {children}
    {value && <CameraChoice {...{ value, onChange }} {...choice} />}
  </>
);

type OfGroup<Given> = (group: CameraGroup) => Given;
type CameraGroupsProps = { known: readonly string[]; isOn: OfGroup<boolean>; onPress: OfGroup<void> };

export function CameraGroups({ known, isOn, onPress }: CameraGroupsProps) {
  const groups = groupCameras(known);
  if (groups.length === 0) return null;
  return (
    <p class="row camera-groups">
      <span class="field-help">{words.ui.cameraChoice.groups}</span>
      {groups.map((group) => (
        <PressChip
          key={group.name}
          text={group.name}
          number={group.cameras.length}
          isOn={isOn(group)}
          onPress={() => onPress(group)}
        />
      ))}
    </p>
  );
}

function AddEntry({ isOpen, onAdd }: { isOpen: boolean; onAdd: (entry: string) => void }) {
  const [entry, setEntry] = useState('');
  const add = (): void => {
    if (entry.trim() !== '') onAdd(entry.trim());
    setEntry('');
  };
  return (
    <details class="more-fields" open={isOpen}>
      <summary>{words.roles.pattern}</summary>
      <div class="add-entry">
        <TextField
          label={words.roles.pattern}
          value={entry}
          onChange={setEntry}
          help={words.roles.patternHelp}
          isOptional
          onEnter={add}
        />
        <Button disabled={entry.trim() === ''} onPress={add}>
          {words.roles.addPattern}
        </Button>
      </div>
    </details>
  );
}
