/** The picture of the event that was seen, beside a viewing (SPEC 14). */
import { readEvent } from '../explore/event-view.ts';
import { Thumbnail } from '../explore/thumbnail.tsx';
import { useFetched } from '../shared/use-fetched.ts';

/**
 * Only a picture that comes with the event: a picture in a file of the NVR would be a viewing of its own, of each camera that a list shows.
 * The place is kept free meanwhile, and shows what the event is about where there is no picture.
 */
export function EventPicture({ id }: { id: string }) {
  const [fetched] = useFetched(`api/events/${encodeURIComponent(id)}`, readEvent);
  const event = fetched.kind === 'ready' ? fetched.value : undefined;
  return event === undefined ? <span class="thumbnail" /> : <Thumbnail event={{ ...event, isPictureInFile: false }} />;
}
