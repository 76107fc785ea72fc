/** The picture of an event, or a drawing of what it is about. */
import { useState } from 'preact/hooks';
import { baseUrl } from '../shared/base-url.ts';
import { Icon, type IconName } from '../shared/icon.tsx';
import type { EventView } from './event-view.ts';

// biome-ignore format: a table
const DRAWINGS: Readonly<Record<string, IconName>> = {
  person: 'person', face: 'person', car: 'car', truck: 'car', bus: 'car', motorcycle: 'car', bicycle: 'car',
  dog: 'animal', cat: 'animal', horse: 'animal', bear: 'animal', deer: 'animal', fox: 'animal', bird: 'bird',
  package: 'package', license_plate: 'plate', speech: 'sound', bark: 'sound', scream: 'sound', yell: 'sound',
};

/** An NVR without picture files answers 404 each time: after a few of them no more are requested. */
const MOST_MISSES = 3;
let misses = 0;

export function Thumbnail({ event }: { event: EventView }) {
  const [isBroken, setIsBroken] = useState(false);
  const source = event.picture ?? fileUrl(event);
  const onError = (): void => {
    misses += 1;
    setIsBroken(true);
  };
  return (
    <span class="thumbnail">
      {source !== undefined && !isBroken ? (
        <img src={source} alt="" loading="lazy" decoding="async" onError={onError} />
      ) : (
        <Icon name={Object.hasOwn(DRAWINGS, event.label) ? (DRAWINGS[event.label] ?? 'shape') : 'shape'} />
      )}
    </span>
  );
}

function fileUrl(event: EventView): string | undefined {
  if (!event.isPictureInFile || misses >= MOST_MISSES) return undefined;
  return new URL(`api/events/${encodeURIComponent(event.id)}/thumbnail.webp`, baseUrl).href;
}
