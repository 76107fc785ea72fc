/** The pictures of an event: its clip to play and its snapshot, both from the NVR; without them the small picture of the record. */
import { useState } from 'preact/hooks';
import { baseUrl } from '../../shared/base-url.ts';
import { labelName } from '../../shared/names.ts';
import { viewedPerson } from '../../shared/view-as.ts';
import { words } from '../../shared/words.ts';
import type { EventView } from '../event-view.ts';
import { Thumbnail, useFetchedPicture } from '../thumbnail.tsx';

interface EventMediaProps {
  readonly event: EventView;
  /** Clips and snapshots are the NVR's. */
  readonly hasNvr: boolean;
}

/** The pictures and clip of an event. Give it the event's id as `key`: each event starts anew. */
export const EventMedia = (props: EventMediaProps) =>
  viewedPerson() === undefined ? <OwnMedia {...props} /> : <ViewedMedia {...props} />;

/** Still pictures alone, and no address: it would open with the rights of the admin. */
function ViewedMedia({ event, hasNvr }: EventMediaProps) {
  const snapshot = hasNvr && event.record['has_snapshot'] === true ? fileUrl(event, 'snapshot.jpg') : undefined;
  const picture = useFetchedPicture(snapshot);
  return (
    <div class="details-media">
      {picture === undefined ? (
        <div class="details-picture">
          <Thumbnail event={event} />
        </div>
      ) : (
        <img class="details-snapshot" src={picture} alt={words.details.snapshotOf(labelName(event.label))} />
      )}
    </div>
  );
}

function OwnMedia({ event, hasNvr }: EventMediaProps) {
  const [isSnapshotBroken, setIsSnapshotBroken] = useState(false);
  const clip = hasNvr && event.record['has_clip'] === true ? fileUrl(event, 'clip.mp4') : undefined;
  const snapshot = hasNvr && event.record['has_snapshot'] === true ? fileUrl(event, 'snapshot.jpg') : undefined;
  const isSnapshotShown = snapshot !== undefined && !isSnapshotBroken;
  return (
    <div class="details-media">
      {clip !== undefined && <Clip url={clip} poster={event.picture ?? snapshot} />}
      {isSnapshotShown && (
        <a class="details-snapshot" href={snapshot} target="_blank" rel="noreferrer">
          <img
            src={snapshot}
            alt={words.details.snapshotOf(labelName(event.label))}
            onError={() => setIsSnapshotBroken(true)}
          />
        </a>
      )}
      {isSnapshotBroken && <p class="notice notice-warn">{words.details.noSnapshot}</p>}
      {clip === undefined && !isSnapshotShown && (
        <div class="details-picture">
          <Thumbnail event={event} />
        </div>
      )}
      {(clip !== undefined || isSnapshotShown) && (
        <p class="media">
          {clip !== undefined && <Download url={clip} name={`${event.id}.mp4`} text={words.details.downloadClip} />}
          {isSnapshotShown && (
            <Download url={snapshot} name={`${event.id}.jpg`} text={words.details.downloadSnapshot} />
          )}
        </p>
      )}
    </div>
  );
}

/** Nothing is loaded before it is played: the NVR makes the file for each request. */
function Clip({ url, poster }: { url: string; poster: string | undefined }) {
  const [isBroken, setIsBroken] = useState(false);
  if (isBroken) {
    return (
      <div class="notice notice-warn" role="alert">
        <p>{words.details.clipBroken}</p>
        <button class="button" type="button" onClick={() => setIsBroken(false)}>
          {words.common.tryAgain}
        </button>
      </div>
    );
  }
  return (
    <video
      class="details-clip"
      controls
      playsInline
      preload="none"
      src={url}
      aria-label={words.details.clipToPlay}
      onError={() => setIsBroken(true)}
      {...(poster === undefined ? {} : { poster })}
    />
  );
}

const Download = ({ url, name, text }: { url: string; name: string; text: string }) => (
  <a class="button" href={url} download={name}>
    {text}
  </a>
);

const fileUrl = ({ id }: EventView, file: string): string =>
  new URL(`api/events/${encodeURIComponent(id)}/${file}`, baseUrl).href;
