/** What the stream server tells of its streams, for all but admins: no source, since a source may be a command line with passwords. */

import { isRecord, type JsonRecord } from '../../domain/json.ts';
import type { CameraView } from '../camera-view.ts';
import { ownersOfStream } from '../recorder-layout.ts';
import { withoutForeignObjects } from './without-foreign.ts';
import { withoutSecrets } from './without-secrets.ts';
import { withoutSource } from './without-source.ts';

/** An object by stream: those that a restricted reader sees. Or one stream, of which the row has judged the name. */
export function narrowStreams(streams: JsonRecord, view: CameraView): unknown {
  if (isStream(streams)) return withoutForeignObjects(withoutStreamSources(streams), view);
  // A stream that was opened by its source has that for its name, passwords included.
  const isSeen = (stream: string): boolean =>
    !stream.includes(':') &&
    (view.clearance !== 'restricted' || ownersOfStream(view.layout, stream).some((owner) => view.sees(owner)));
  return Object.fromEntries(
    Object.entries(streams)
      .filter(([stream]) => isSeen(stream))
      .map(([stream, told]) => [stream, withoutStreamSources(told)]),
  );
}

const isStream = ({ producers }: JsonRecord): boolean => Array.isArray(producers) || producers === null;

/** Members that hold a whole source, or what a camera says of itself and its addresses. */
const SOURCE_KEYS: ReadonlySet<string> = new Set(['source', 'sdp', 'cmd', 'command', 'args']);

/** One stream, or anything in one: of an address the scheme and the host are left, of any other source its kind. */
function withoutStreamSources(told: unknown): unknown {
  if (typeof told === 'string') return withoutSource(told);
  if (Array.isArray(told)) return told.map(withoutStreamSources);
  if (!isRecord(told)) return told;
  const kept = Object.entries(told).filter(([key]) => !SOURCE_KEYS.has(key.toLowerCase()));
  return withoutSecrets(Object.fromEntries(kept.map(([key, value]) => [key, withoutStreamSources(value)])));
}
