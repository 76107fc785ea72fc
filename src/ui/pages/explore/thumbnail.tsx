/** The picture of an event, or a drawing of what it is about. */
import { useEffect, useState } from 'preact/hooks';
import { pictureFromApi } from '../shared/api.ts';
import { baseUrl } from '../shared/base-url.ts';
import { Icon, type IconName } from '../shared/icon.tsx';
import { viewedPerson } from '../shared/view-as.ts';
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

interface ThumbnailProps {
  readonly event: EventView;
  /** It has come by itself, and so does its picture. */
  readonly isNew?: boolean;
}

export function Thumbnail({ event, isNew = false }: ThumbnailProps) {
  const [isBroken, setIsBroken] = useState(false);
  const file = event.picture === undefined ? fileUrl(event) : undefined;
  const isFetched = isNew || viewedPerson() !== undefined;
  const fetched = useFetchedPicture(isFetched ? file : undefined);
  const source = event.picture ?? (isFetched ? fetched : file);
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

/** An `<img>` cannot send headers: its request would renew the session, and could not say whose view is shown. */
export function useFetchedPicture(url: string | undefined): string | undefined {
  const [picture, setPicture] = useState<string>();
  useEffect(() => {
    if (url === undefined) return undefined;
    const controller = new AbortController();
    let made: string | undefined;
    void pictureFromApi(url, controller.signal).then((address) => {
      if (address !== undefined && controller.signal.aborted) return URL.revokeObjectURL(address);
      made = address;
      setPicture(address);
    });
    return () => {
      controller.abort();
      if (made !== undefined) URL.revokeObjectURL(made);
    };
  }, [url]);
  return picture;
}

function fileUrl(event: EventView): string | undefined {
  if (!event.isPictureInFile || misses >= MOST_MISSES) return undefined;
  return new URL(`api/events/${encodeURIComponent(event.id)}/thumbnail.webp`, baseUrl).href;
}
