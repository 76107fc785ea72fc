/** Everything about one event, its pictures and a link to it: beside the list where there is room, over it where there is not. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { viewAs } from '../shared/api.ts';
import { baseUrl } from '../shared/browser.ts';
import { Duration, Thumbnail, useFetchedPicture } from '../shared/events/event-row.tsx';
import { type EventView, factsForPeople, fileName, technicalFacts } from '../shared/events/event-view.ts';
import { CopyButton } from '../shared/new-secret.tsx';
import { Button, Facts, Icon } from '../shared/parts.tsx';
import { Slot } from '../shared/pieces.tsx';
import { cameraName, facts, formatShortMoment, labelName, words } from '../shared/words.ts';

/** The same width as in details.css. */
const BESIDE_THE_LIST = '(width >= 68rem)';

interface EventDetailsProps {
  readonly event: EventView;
  /** Its neighbours in the list, as far as that is loaded. */
  readonly previous: EventView | undefined;
  readonly next: EventView | undefined;
  readonly onOpen: (event: EventView) => void;
  readonly onClose: () => void;
}

export function EventDetails({ event, onOpen, onClose, ...neighbours }: EventDetailsProps) {
  const text = words.explore.details;
  const panel = useRef<HTMLDialogElement>(null);
  const shown = useRef(event.id);
  // Wherever there is room the list stays usable; else the panel takes the screen, and the focus with it.
  useEffect(() => {
    const opener = document.activeElement;
    const room = matchMedia(BESIDE_THE_LIST);
    const open = (): void => {
      panel.current?.close();
      if (room.matches) panel.current?.show();
      else panel.current?.showModal();
    };
    open();
    room.addEventListener('change', open);
    return () => {
      room.removeEventListener('change', open);
      const row = rowOf(shown.current) ?? opener;
      // The browser gives the focus to the element that had it when the panel was opened, or to the page when that is gone.
      const isLost = [null, document.body, opener].includes(document.activeElement);
      // Unless the user has clicked elsewhere meanwhile.
      if (isLost && row instanceof HTMLElement) row.focus({ preventScroll: true });
    };
  }, []);
  // The list goes along, and so gets its next page in time.
  useEffect(() => {
    if (shown.current !== event.id) rowOf(event.id)?.scrollIntoView({ block: 'nearest' });
    shown.current = event.id;
  }, [event.id]);
  // Not `disabled` at the end: the focus would be lost there.
  const step = (name: 'previous' | 'next', to = neighbours[name]) => (
    <Button kind="plain" aria-label={text[name]} aria-disabled={to === undefined} onPress={() => to && onOpen(to)}>
      <Icon name={name === 'next' ? 'chevron' : name} />
    </Button>
  );
  return (
    <dialog
      ref={panel}
      class="details"
      aria-labelledby="details-title"
      onCancel={onClose}
      onKeyDown={({ key, currentTarget }) => key === 'Escape' && !currentTarget.matches(':modal') && onClose()}
    >
      <header class="details-head">
        <h2 id="details-title" tabIndex={-1}>
          <bdi>{labelName(event.label)}</bdi>
          <bdi class="details-where">
            {cameraName(event.camera)}, {formatShortMoment(event.startTime)}
          </bdi>
        </h2>
        {step('previous')}
        {step('next')}
        <Button kind="plain" aria-label={text.close} onPress={onClose}>
          <Icon name="close" />
        </Button>
      </header>
      <EventMedia key={event.id} event={event} />
      <Facts rows={[...factsForPeople(event), [text.length, <Duration key="length" event={event} />]]} />
      <details class="raw">
        <summary>{text.technical}</summary>
        <Facts rows={technicalFacts(event)} />
        <pre dir="ltr">{JSON.stringify(event.record, shortened, 2)}</pre>
        <CopyButton text={JSON.stringify(event.record, null, 2)} label={text.copyWhole} />
      </details>
    </dialog>
  );
}

const SHOWN_OF_PICTURE = 24;

const shortened = (key: string, value: unknown): unknown =>
  key === 'thumbnail' && typeof value === 'string' && value.length > SHOWN_OF_PICTURE
    ? `${value.slice(0, SHOWN_OF_PICTURE)}… ${words.explore.details.characters({ number: value.length })}`
    : value;

const rowOf = (id: string): Element | null => document.querySelector(`[data-event="${CSS.escape(id)}"]`);

/**
 * The picture of an event: its clip to play, else its snapshot, both from the NVR; without them the small picture of the
 * record; and what can be done with it. Give it the event's id as `key`: each event starts anew.
 */
function EventMedia({ event }: { event: EventView }) {
  const [isBroken, setIsBroken] = useState(false);
  const text = words.explore.details;
  const isViewed = viewAs.person !== undefined;
  const address = `api/events/${encodeURIComponent(event.id)}`;
  const fileUrl = (has: string, file: string): string | undefined =>
    facts.hasNvr && event.record[has] === true ? urlAt(`${address}/${file}`) : undefined;
  const file = fileUrl('has_snapshot', 'snapshot.jpg');
  // In the view of another person still pictures alone, and no address: it would open with the rights of the admin.
  const fetched = useFetchedPicture(isViewed ? file : undefined);
  const snapshot = isBroken ? undefined : isViewed ? fetched : file;
  const clip = isViewed ? undefined : fileUrl('has_clip', 'clip.mp4');
  const alt = text.snapshotOf({ label: labelName(event.label) });
  const download = (url: string | undefined, ending: string, name: string) =>
    url !== undefined && (
      <a class="button" href={url} download={`${fileName(event)}.${ending}`}>
        {name}
      </a>
    );
  return (
    <div class="details-media">
      {clip !== undefined && <Clip event={event} url={clip} poster={event.picture ?? file} />}
      {clip === undefined &&
        snapshot !== undefined &&
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
      {!isViewed && (
        <div class="row media">
          <Slot name="event" id={event.id} />
          {download(clip, 'mp4', text.downloadClip)}
          {download(snapshot, 'jpg', text.downloadSnapshot)}
        </div>
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
  const breaks = (): void => setIsBroken(true);
  if (isBroken) {
    return (
      <div class="notice notice-warn" role="alert">
        <p>{words.explore.details.clipBroken}</p>
        <Button onPress={() => setIsBroken(false)}>{words.ui.common.tryAgain}</Button>
      </div>
    );
  }
  const playlist = urlAt(`vod/event/${encodeURIComponent(event.id)}/index.m3u8`);
  return (
    <video
      class="details-clip"
      controls
      playsInline
      preload="none"
      aria-label={words.explore.details.clipToPlay}
      onError={breaks}
      {...(poster === undefined ? {} : { poster })}
    >
      <source src={playlist} type="application/vnd.apple.mpegurl" />
      <source src={url} type="video/mp4" onError={breaks} />
    </video>
  );
}

const urlAt = (path: string): string => new URL(path, baseUrl).href;
