/** Cameras and labels as people read them: the NVR's friendly names, and common labels in the language of the page. */
import { labelIn } from '../../../locales/texts.ts';
import type { Suggestion } from './combobox/suggestions.ts';
import { spaced } from './spaced.ts';
import { words } from './words.ts';

let friendly: ReadonlyMap<string, string> = new Map();

/** Read it at render time: the profile tells the names. */
export const learnCameraNames = (names: ReadonlyMap<string, string>): void => {
  friendly = names;
};

export const cameraName = (camera: string): string => friendly.get(camera) ?? spaced(camera);

/** An entry of a role or a token: a camera by its name, or a pattern as it was written. */
export function entryName(entry: string): string {
  if (entry === '*') return words.ui.common.allCameras;
  return entry.includes('*') ? entry : cameraName(entry);
}

export const labelName = (label: string): string => labelIn(words.explore.labels, label);

export const suggested = (
  values: readonly string[],
  nameOf: (value: string) => string = (value) => value,
): Suggestion[] =>
  values
    .map((value) => ({ value, name: nameOf(value) }))
    .sort((one, other) => one.name.localeCompare(other.name, undefined, { numeric: true }));
