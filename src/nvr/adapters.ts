/** The adapters by the name that the head of a route table gives, and words of a row that its adapter does not have (SPEC 20). */

import { NO_ADAPTER, type NvrAdapter } from '../access/nvr-adapter.ts';
import {
  type BodyShape,
  isAdapterValue,
  isCommonForm,
  isOwnerKind,
  isStartedKind,
  type Locator,
  writtenLocator,
  writtenNarrowing,
} from '../domain/policy.ts';
import type { PolicyRow } from '../routes/policy-row.ts';
import { FRIGATE } from './frigate/frigate.ts';

/** The first of them as the table writes it. */
export function findLostWord(
  { cameras = [], narrow, answer, times = [], body }: PolicyRow,
  nvr: NvrAdapter,
): string | undefined {
  const locator = cameras.find((one) => !isKnown(one, nvr));
  if (locator) return `"cameras: ${writtenLocator(locator)}"`;
  if (narrow?.how === 'per-message' && !nvr.messages) return '"narrow: per-message"';
  if (narrow?.how === 'own-data' && narrow.list && !nvr.lists[narrow.list])
    return `"narrow: ${writtenNarrowing(narrow)}"`;
  if (answer && !isCommonForm(answer) && !nvr.answers[answer]) return `"answer: ${answer}"`;
  const list = times
    .flatMap((place) => (place.in === 'own-data' && place.list ? [place.list] : []))
    .find((one) => !nvr.lists[one]);
  if (list) return `"times: own-data:${list}"`;
  const value = body === undefined || body === 'any' ? undefined : lostValue(body, nvr);
  return value === undefined ? undefined : `"body: ${value}"`;
}

function isKnown({ kind }: Locator, { names, owners }: NvrAdapter): boolean {
  if (kind === 'camera' || kind === 'stream' || isStartedKind(kind)) return true;
  return isOwnerKind(kind) ? owners[kind] !== undefined : names[kind] !== undefined;
}

function lostValue(shape: BodyShape, nvr: NvrAdapter): string | undefined {
  if (shape.kind === 'list') return lostValue(shape.of, nvr);
  if (shape.kind === 'object')
    return Object.values(shape.fields)
      .map((field) => lostValue(field.shape, nvr))
      .find((lost) => lost !== undefined);
  return isAdapterValue(shape.kind) && !nvr.values[shape.kind] ? shape.kind : undefined;
}

/** The adapters by the name that the head of a route table gives; a table that names none has no words of its own (SPEC 20). */
const ADAPTERS: readonly NvrAdapter[] = [FRIGATE];

export const ADAPTER_NAMES: readonly string[] = ADAPTERS.map(({ name }) => name);

/** Undefined and an unknown name are those of no adapter: what needs one is denied. */
export const adapterNamed = (name: string | undefined): NvrAdapter =>
  ADAPTERS.find((adapter) => adapter.name === name) ?? NO_ADAPTER;
