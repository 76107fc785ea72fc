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
        <img
          class="details-snapshot"
          src={picture}
          alt={words.explore.details.snapshotOf({ label: labelName(event.label) })}
        />
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
      {clip !== undefined && <Clip event={event} url={clip} poster={event.picture ?? snapshot} />}
      {isSnapshotShown && (
        <a class="details-snapshot" href={snapshot} target="_blank" rel="noreferrer">
          <img
            src={snapshot}
            alt={words.explore.details.snapshotOf({ label: labelName(event.label) })}
            onError={() => setIsSnapshotBroken(true)}
          />
        </a>
      )}
      {isSnapshotBroken && <p class="notice notice-warn">{words.explore.details.noSnapshot}</p>}
      {clip === undefined && !isSnapshotShown && (
        <div class="details-picture">
          <Thumbnail event={event} />
        </div>
      )}
      {(clip !== undefined || isSnapshotShown) && (
        <p class="media">
          {clip !== undefined && (
            <Download url={clip} name={`${event.id}.mp4`} text={words.explore.details.downloadClip} />
          )}
          {isSnapshotShown && (
            <Download url={snapshot} name={`${event.id}.jpg`} text={words.explore.details.downloadSnapshot} />
          )}
        </p>
      )}
    </div>
  );
}

/**
 * Nothing is loaded before it is played: the NVR makes the file for each request, without length and ranges. iPhones play no
 * such file, so its playlist is named first.
 */
function Clip({ event, url, poster }: { event: EventView; url: string; poster: string | undefined }) {
  const [isBroken, setIsBroken] = useState(false);
  if (isBroken) {
    return (
      <div class="notice notice-warn" role="alert">
        <p>{words.explore.details.clipBroken}</p>
        <button class="button" type="button" onClick={() => setIsBroken(false)}>
          {words.ui.common.tryAgain}
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
      aria-label={words.explore.details.clipToPlay}
      onError={() => setIsBroken(true)}
      {...(poster === undefined ? {} : { poster })}
    >
      <source
        src={urlAt(`vod/event/${encodeURIComponent(event.id)}/index.m3u8`)}
        type="application/vnd.apple.mpegurl"
      />
      <source src={url} type="video/mp4" onError={() => setIsBroken(true)} />
    </video>
  );
}

const Download = ({ url, name, text }: { url: string; name: string; text: string }) => (
  <a class="button" href={url} download={name}>
    {text}
  </a>
);

const fileUrl = ({ id }: EventView, file: string): string => urlAt(`api/events/${encodeURIComponent(id)}/${file}`);

const urlAt = (path: string): string => new URL(path, baseUrl).href;
