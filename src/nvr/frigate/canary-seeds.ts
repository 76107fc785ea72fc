/** What the canary must know of Frigate: its lists, the names of its files, and where its answers name cameras (SPEC 15). */
import type { CanarySeeds } from '../../access/canary-seeds.ts';

export const SEEDS: CanarySeeds = {
  lists: [
    { of: 'event', path: '/api/events', isByCamera: true, query: { include_thumbnails: '0' }, time: 'start_time' },
    { of: 'review', path: '/api/review', isByCamera: true, since: 'after' },
    { of: 'export', path: '/api/exports', isByCamera: false, file: 'video_path', case: 'export_case_id' },
  ],
  folders: {
    events: 'event',
    event: 'event',
    review: 'review',
    exports: 'export',
    export: 'export',
    cases: 'case',
  },
  files: [
    { folder: '/clips/review/', name: 'thumb-{camera}-{review}.webp' },
    { folder: '/clips/thumbs/' },
    { folder: '/clips/previews/' },
    { folder: '/clips/', name: '{camera}-{event}-clean.webp' },
    { folder: '/exports/', name: { of: 'export-file' } },
    { folder: '/api/preview/', name: 'preview_{camera}-{time}.webp' },
  ],
  parameters: [
    { name: 'camera', of: 'camera' },
    { name: 'cameras', of: 'camera' },
    { name: 'ids', of: 'review', in: 'review' },
    { name: 'ids', of: 'event' },
    { name: 'event_id', of: 'event' },
    { name: 'src', of: 'stream' },
  ],
  nameLists: {
    '/api/labels': { parameter: 'labels', at: ['label'] },
    '/api/sub_labels': { parameter: 'sub_labels', at: ['sub_label'] },
    '/api/recognized_license_plates': {
      parameter: 'recognized_license_plate',
      at: ['data', 'recognized_license_plate'],
    },
  },
  costly: /\.(?:mp4|gif)$|\/preview$|\/grid\.jpg$|\/download$|^\/api\/\{\w+\}$/,
  answers: {
    beforeTime: ['thumb-', 'preview_', '/clips/'],
    folders: [
      '/thumbs',
      '/previews',
      '/vod',
      '/vod/clip',
      String.raw`\d{4}-\d\d-\d\d/\d\d`,
      String.raw`\d{4}-\d\d/\d\d/\d\d`,
    ],
    maps: ['bandwidth_usages', 'camera_fps'],
    config: '/api/config',
    streams: [{ path: '/api/go2rtc/streams' }, { path: '/api/config', key: 'go2rtc', member: 'streams' }],
  },
};
