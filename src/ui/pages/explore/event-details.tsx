/** Everything about one event, its pictures and a link to it: beside the list where there is room, over it where there is not. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { sendToApi, viewedPerson } from '../shared/api.ts';
import { baseUrl } from '../shared/browser.ts';
import { SelectField, Switch, TextField } from '../shared/fields.tsx';
import { FormDialog } from '../shared/forms.tsx';
import { AddressSharing, CopyButton, NewSecret } from '../shared/new-secret.tsx';
import { Icon } from '../shared/parts.tsx';
import { problemOf } from '../shared/problems.ts';
import { isFields, textOf } from '../shared/untrusted.ts';
import { labelName, words } from '../shared/words.ts';
import { Duration, Thumbnail, useFetchedPicture } from './event-row.tsx';
import { type EventFact, type EventView, factsOf } from './event-view.ts';

/** The same width as in details.css. */
const BESIDE_THE_LIST = '(width >= 68rem)';

interface EventDetailsProps {
  readonly event: EventView;
  /** Clips and snapshots are the NVR's. */
  readonly hasNvr: boolean;
  /** Its neighbours in the list, as far as that is loaded. */
  readonly previous: EventView | undefined;
  readonly next: EventView | undefined;
  readonly onOpen: (event: EventView) => void;
  readonly onClose: () => void;
}

export function EventDetails({ event, hasNvr, previous, next, onOpen, onClose }: EventDetailsProps) {
  const facts = factsOf(event);
  const panel = useRef<HTMLDialogElement>(null);
  const shown = useRef(event.id);
  useEffect(() => openBesideOrOver(panel.current, shown), []);
  // The list goes along, and so gets its next page in time.
  useEffect(() => {
    if (shown.current !== event.id) rowOf(event.id)?.scrollIntoView({ block: 'nearest' });
    shown.current = event.id;
  }, [event.id]);
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
        </h2>
        <Step name="previous" to={previous} onOpen={onOpen} />
        <Step name="next" to={next} onOpen={onOpen} />
        <button class="button button-plain" type="button" aria-label={words.explore.details.close} onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      <EventMedia key={event.id} {...{ event, hasNvr }} />
      {viewedPerson() === undefined && <ShareEvent key={`share ${event.id}`} id={event.id} />}
      <dl class="facts">
        <FactRows facts={facts.forPeople} />
        <div class="fact">
          <dt>{words.explore.details.length}</dt>
          <dd>
            <Duration event={event} />
          </dd>
        </div>
      </dl>
      <Technical event={event} facts={facts.technical} />
    </dialog>
  );
}

type StepTo = { readonly name: 'previous' | 'next'; readonly to: EventView | undefined };

/** Not `disabled` at the end: the focus would be lost there. */
const Step = ({ name, to, onOpen }: Pick<EventDetailsProps, 'onOpen'> & StepTo) => (
  <button
    class="button button-plain"
    type="button"
    aria-label={words.explore.details[name]}
    aria-disabled={to === undefined}
    onClick={() => to && onOpen(to)}
  >
    <Icon name={name} />
  </button>
);

/** Wherever there is room the list stays usable; else the panel takes the screen, and the focus with it. */
function openBesideOrOver(
  panel: HTMLDialogElement | null,
  shown: { readonly current: string },
): (() => void) | undefined {
  if (!panel) return undefined;
  const opener = document.activeElement;
  const room = matchMedia(BESIDE_THE_LIST);
  const open = (): void => {
    panel.close();
    if (room.matches) panel.show();
    else panel.showModal();
  };
  open();
  room.addEventListener('change', open);
  return () => {
    room.removeEventListener('change', open);
    giveFocusBack(rowOf(shown.current) ?? opener, opener);
  };
}

const rowOf = (id: string): Element | null => document.querySelector(`[data-event="${CSS.escape(id)}"]`);

/** Focuses the row of the event that was shown, unless the user has clicked elsewhere meanwhile. */
function giveFocusBack(row: Element | null, opener: Element | null): void {
  // The browser gives the focus to the element that had it when the panel was opened, or to the page when that is gone.
  const isLost = [null, document.body, opener].includes(document.activeElement);
  if (isLost && row instanceof HTMLElement) row.focus({ preventScroll: true });
}

const FactRows = ({ facts }: { facts: readonly EventFact[] }) =>
  facts.map(([name, value]) => (
    <div key={name} class="fact">
      <dt>{name}</dt>
      <dd>
        <bdi>{value}</bdi>
      </dd>
    </div>
  ));

const Technical = ({ event: { record }, facts }: { event: EventView; facts: readonly EventFact[] }) => (
  <details class="raw">
    <summary>{words.explore.details.technical}</summary>
    <dl class="facts">
      <FactRows facts={facts} />
    </dl>
    <pre dir="ltr">{JSON.stringify(record, shortened, 2)}</pre>
    <CopyButton text={JSON.stringify(record, null, 2)} label={words.explore.details.copyWhole} />
  </details>
);

const SHOWN_OF_PICTURE = 24;

const shortened = (key: string, value: unknown): unknown =>
  key === 'thumbnail' && typeof value === 'string' && value.length > SHOWN_OF_PICTURE
    ? `${value.slice(0, SHOWN_OF_PICTURE)}… ${words.explore.details.characters({ number: value.length })}`
    : value;

interface EventMediaProps {
  readonly event: EventView;
  /** Clips and snapshots are the NVR's. */
  readonly hasNvr: boolean;
}

/** Give it the event's id as `key`: each event starts anew. */
function EventMedia({ event, hasNvr }: EventMediaProps) {
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

type LinkLifetime = keyof typeof words.links.share.lifetimes;

// biome-ignore format: a table
const LIFETIMES: Readonly<Record<LinkLifetime, number>> = {
  hour: 3600,
  day:  86_400,
  week: 7 * 86_400,
};

type ShareState = 'button' | 'form' | { readonly url: string };

function ShareEvent({ id }: { id: string }) {
  const [shown, show] = useState<ShareState>('button');
  /** Closes the form, unless the link was made: its dialog has replaced the form then. */
  const closeForm = (): void => show((was) => (was === 'form' ? 'button' : was));
  return (
    <p class="media">
      <button class="button" type="button" onClick={() => show('form')}>
        {words.links.share.share}
      </button>
      {shown === 'form' && <ShareForm id={id} onMade={(url) => show({ url })} onClose={closeForm} />}
      {typeof shown === 'object' && <SharedAddress url={shown.url} onClose={() => show('button')} />}
    </p>
  );
}

function ShareForm({ id, onMade, onClose }: { id: string; onMade: (url: string) => void; onClose: () => void }) {
  const [lifetime, setLifetime] = useState<string>('day');
  const [isOnce, setIsOnce] = useState(false);
  const [pin, setPin] = useState('');
  const [name, setName] = useState('');
  const make = async (): Promise<string | undefined> => {
    const given = { ...(pin !== '' && { pin }), ...(name.trim() !== '' && { name: name.trim() }) };
    const terms = { expires_in: LIFETIMES[lifetime as LinkLifetime], ...(isOnce && { uses: 1 }), ...given };
    const response = await sendToApi('POST', 'api/links', { what: { event: id }, ...terms });
    if (response.kind !== 'ok') return problemOf(response);
    const url = isFields(response.body) ? textOf(response.body['url']) : undefined;
    if (url === undefined) return words.ui.common.unreadable;
    onMade(new URL(url, location.origin).href);
    return undefined;
  };
  return (
    <FormDialog title={words.links.share.title} submit={words.links.share.make} onSubmit={make} onClose={onClose}>
      <p>{words.links.share.what}</p>
      <SelectField
        label={words.links.share.lifetime}
        value={lifetime}
        onChange={setLifetime}
        options={Object.entries(words.links.share.lifetimes)}
      />
      <Switch isOn={isOnce} onChange={setIsOnce}>
        {words.links.share.once}
      </Switch>
      <TextField label={words.links.share.name} value={name} onChange={setName} isOptional />
      <TextField
        label={words.links.share.pin}
        value={pin}
        onChange={setPin}
        help={words.links.share.pinHelp}
        isOptional
      />
    </FormDialog>
  );
}

const SharedAddress = ({ url, onClose }: { url: string; onClose: () => void }) => (
  <NewSecret title={words.links.share.madeTitle} warning={words.links.share.madeWhat} secret={url} onClose={onClose}>
    <AddressSharing url={url} title={words.links.share.madeTitle} />
    <p class="field-help">{words.links.share.where}</p>
  </NewSecret>
);
