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

/** The address and the browser of a person who watches. */
const PERSON_KEYS: ReadonlySet<string> = new Set(['remote_addr', 'user_agent']);
/** What the stream server sends to. */
const isConsumer = ({ senders, bytes_send }: JsonRecord): boolean => senders !== undefined || bytes_send !== undefined;

/** One stream, or anything in one: of an address the scheme and the host are left, of any other source its kind. */
function withoutStreamSources(told: unknown): unknown {
  if (typeof told === 'string') return withoutSource(told);
  if (Array.isArray(told)) return told.map(withoutStreamSources);
  if (!isRecord(told)) return told;
  const isHidden = (key: string): boolean => SOURCE_KEYS.has(key) || (isConsumer(told) && PERSON_KEYS.has(key));
  const kept = Object.entries(told).filter(([key]) => !isHidden(key.toLowerCase()));
  return withoutSecrets(Object.fromEntries(kept.map(([key, value]) => [key, withoutStreamSources(value)])));
}
