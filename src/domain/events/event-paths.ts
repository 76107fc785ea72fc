/** The paths of the interface for events: what the events backend serves (SPEC 7). */

export const EVENTS_PATH = '/api/events';
/** The picture of an event. */
export const PICTURE_PATH = '/api/events/{id}/thumbnail.{extension}';
/** How many events there are by day; where the NVR keeps the events, as it counts them. */
export const DAYS_PATH = '/api/events/days';
/** Lists of words that events have. */
// biome-ignore format: a table
export const WORD_PATHS: readonly string[] = ['/api/labels', '/api/sub_labels', '/api/recognized_license_plates'];
/** Postern's own: no NVR has them. */
export const POSTERNS_PATHS: readonly string[] = ['/api/events/changes', '/api/zones'];

// biome-ignore format: a table
export const BACKEND_PATHS: readonly string[] = [
  EVENTS_PATH, '/api/events/{id}', '/api/events/summary', '/api/events/explore', DAYS_PATH, PICTURE_PATH, '/api/event_ids',
  ...WORD_PATHS, ...POSTERNS_PATHS,
];
