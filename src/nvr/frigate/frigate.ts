/** The adapter of Frigate, and of the stream server inside it (docs/policies.md, `adapter: frigate`). */
import type { NvrAdapter } from '../../access/nvr-adapter.ts';
import { ANSWERS } from './answers.ts';
import { LISTS } from './compose-list.ts';
import { isClipsFile, NAMES } from './file-names.ts';
import { layoutOfConfig, RESERVED } from './layout.ts';
import { LINKS } from './link-files.ts';
import { judgeInbound, narrowOutbound } from './narrow-messages.ts';
import { OWNERS } from './owners.ts';
import { DAYS } from './review-days.ts';
import { isVodTrick } from './vod-path.ts';

export const FRIGATE: NvrAdapter = {
  name: 'frigate',
  cameras: { reserved: RESERVED, layoutOf: layoutOfConfig },
  names: NAMES,
  owners: OWNERS,
  answers: ANSWERS,
  lists: LISTS,
  values: { 'clips-file': isClipsFile },
  messages: { fromClient: judgeInbound, fromNvr: narrowOutbound },
  links: LINKS,
  queries: {
    filtered: new Set(['api/review', 'api/timeline', 'api/recordings']),
    // Pictures are drawn in any size.
    pictures: { h: 'height', height: 'height', fps: 'rate' },
    stepped: new Set(['api/recordings/unavailable', 'api/review/activity/motion']),
  },
  events: { days: DAYS, atNvr: ['/api/events/search'] },
  isMisread: isVodTrick,
};
