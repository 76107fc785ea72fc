/** The adapter of an NVR of which nothing is known but the rows of its table: it has no word of its own, so what needs one is denied. */
import type { NvrAdapter } from './nvr-adapter.ts';

export const NO_ADAPTER: NvrAdapter = {
  name: 'none',
  cameras: {
    reserved: [],
    layoutOf() {
      throw new Error('the head of the route table names no adapter that can read the configuration of the NVR');
    },
  },
  names: {},
  owners: {},
  answers: {},
  lists: {},
  values: {},
  messages: undefined,
  links: { filesOf: () => ({}), playlistsOf: () => undefined, recordingsAt: () => undefined, mediaTypes: [] },
  queries: { filtered: new Set(), pictures: {}, stepped: new Set() },
  events: { days: undefined, atNvr: [] },
  isMisread: () => false,
};
