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

/** Give it the event's id as `key`: each event starts anew. */
export function EventMedia({ event, hasNvr }: EventMediaProps) {
  const [isBroken, setIsBroken] = useState(false);
  const text = words.explore.details;
  const isViewed = viewedPerson() !== undefined;
  const fileUrl = (has: string, file: string): string | undefined =>
    hasNvr && event.record[has] === true ? urlAt(`api/events/${encodeURIComponent(event.id)}/${file}`) : undefined;
  const file = fileUrl('has_snapshot', 'snapshot.jpg');
  // In the view of another person still pictures alone, and no address: it would open with the rights of the admin.
  const fetched = useFetchedPicture(isViewed ? file : undefined);
  const snapshot = isBroken ? undefined : isViewed ? fetched : file;
  const clip = isViewed ? undefined : fileUrl('has_clip', 'clip.mp4');
  const alt = text.snapshotOf({ label: labelName(event.label) });
  return (
    <div class="details-media">
      {clip !== undefined && <Clip event={event} url={clip} poster={event.picture ?? file} />}
      {snapshot !== undefined &&
        (isViewed ? (
          <img class="details-snapshot" src={snapshot} alt={alt} />
        ) : (
          <a class="details-snapshot" href={snapshot} target="_blank" rel="noreferrer">
            <img src={snapshot} alt={alt} onError={() => setIsBroken(true)} />
          </a>
        ))}
      {isBroken && <p class="notice notice-warn">{text.noSnapshot}</p>}
      {clip === undefined && snapshot === undefined && (
        <div class="details-picture">
          <Thumbnail event={event} />
        </div>
      )}
      {!isViewed && (clip !== undefined || snapshot !== undefined) && (
        <p class="media">
          {clip !== undefined && <Download url={clip} name={`${event.id}.mp4`} text={text.downloadClip} />}
          {snapshot !== undefined && <Download url={snapshot} name={`${event.id}.jpg`} text={text.downloadSnapshot} />}
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

const urlAt = (path: string): string => new URL(path, baseUrl).href;
