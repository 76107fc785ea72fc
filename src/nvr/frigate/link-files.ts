/** The paths of Frigate that a link stands for, by the kind of thing that it shows (SPEC 13). */
import type { LinkRules } from '../../access/nvr-adapter.ts';
import type { SharedThing } from '../../domain/shared-thing.ts';

const encoded = encodeURIComponent;

function filesOf(thing: SharedThing): Readonly<Record<string, string>> {
  const camera = `/api/${encoded(thing.camera)}`;
  switch (thing.kind) {
    case 'event': {
      const event = `/api/events/${encoded(thing.id)}`;
      return {
        'thumbnail.jpg': `${event}/thumbnail.jpg`,
        'snapshot.jpg': `${event}/snapshot.jpg`,
        'clip.mp4': `${event}/clip.mp4`,
        'preview.gif': `${event}/preview.gif`,
      };
    }
    case 'review': {
      const review = `/api/review/${encoded(thing.id)}`;
      return { 'clip.mp4': `${review}/clip.mp4`, 'preview.gif': `${review}/preview` };
    }
    case 'recording': {
      const { from, to } = thing;
      return {
        'snapshot.jpg': `${camera}/recordings/${from}/snapshot.jpg`,
        'clip.mp4': `${camera}/start/${from}/end/${to}/clip.mp4`,
      };
    }
    case 'live':
      return { live: camera, 'snapshot.jpg': `${camera}/latest.jpg` };
    case 'snapshot':
      return { 'snapshot.jpg': `${camera}/latest.jpg` };
  }
}

function playlistsOf(thing: SharedThing): string | undefined {
  if (thing.kind === 'event') return `/vod/event/${encoded(thing.id)}`;
  const { from, to } = 'from' in thing ? thing : {};
  return from === undefined ? undefined : `/vod/${encoded(thing.camera)}/start/${from}/end/${to}`;
}

export const LINKS: LinkRules = {
  filesOf,
  playlistsOf,
  recordingsAt: (camera, from, to) => `/api/${encoded(camera)}/recordings?after=${from}&before=${to}`,
  mediaTypes: [[/^\/api\/review\/[^/]+\/preview$/, 'image/gif']],
};
