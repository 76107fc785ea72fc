/** What links and their page need of the NVR and of the decision: the camera of an event, and whether a link would be admitted (SPEC 13). */

import type { NvrAdapter } from '../../access/nvr-adapter.ts';
import { thingFiles, thingPlaylist, thingTarget } from '../../access/thing-paths.ts';
import type { Settings } from '../../config/schema/schema.ts';
import type { Upstream } from '../../domain/addresses.ts';
import type { Caller, SharedThing } from '../../domain/caller.ts';
import { REFUSALS, type RefusalReason } from '../../domain/refusal.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import { admit, type Rules } from '../../gateway/decision/admit.ts';
import { type DestinationRules, findDestination } from '../../gateway/decision/destinations.ts';
import { askFailure } from '../../gateway/decision/upstream-failure.ts';
import { toFacts } from '../../gateway/explain/question.ts';
import { createAsker, questionFor } from '../../gateway/forward/nvr-questions.ts';
import { askText } from '../../outbound/ask-upstream.ts';
import { LINK_PATH } from './links.ts';

/** What is known of a thing. */
interface LinkFacts {
  /** There is no such event or review any more, or no recording of its time. */
  readonly isGone?: boolean;
  readonly hasClip?: boolean;
  readonly hasSnapshot?: boolean;
  /** Unix seconds. */
  readonly at?: number | undefined;
  readonly label?: string | undefined;
}

/** The parts of a day are some thousand: they are not read. */
const EMPTY_LIST = /^\s*\[\s*\]\s*$/;

export type LinkJudge = ReturnType<typeof createLinkJudge>;

/** `rules`: the active ones, without counters. */
export function createLinkJudge(settings: Settings, destinations: DestinationRules, rules: () => Rules) {
  const askFor = async <Answer>(
    place: string,
    ask: (upstream: Upstream, path: string) => Promise<Answer>,
  ): Promise<Result<Answer, RefusalReason>> => {
    const [path = '', query = ''] = place.split('?', 2);
    const target = { path, segments: path.slice(1).split('/'), query };
    const destination = findDestination('GET', target, destinations);
    if (!destination) return err('no-nvr');
    return ask(destination.upstream, place).then(ok, (fault: unknown) => err(askFailure(fault)));
  };
  /** Undefined for a 404. */
  const askRecord = (upstream: Upstream, path: string) => createAsker(settings)(upstream, path, []);
  const askList = async (upstream: Upstream, path: string) => askText(await questionFor(settings, upstream, path, []));
  const nvr = (): NvrAdapter => rules().routes.nvr;
  const recordOf = async (kind: 'event' | 'review', id: string): Promise<Result<unknown, RefusalReason>> => {
    const rule = nvr().owners[kind];
    return rule ? askFor(rule.path(id), askRecord) : err('path-not-found');
  };
  const hasNoRecording = async (camera: string, from: number, to: number): Promise<boolean> => {
    const place = nvr().things.recordingsAt(camera, from, to);
    const parts = place === undefined ? undefined : await askFor(place, askList);
    return parts?.ok === true && EMPTY_LIST.test(parts.value);
  };
  const eventFacts = async (id: string): Promise<LinkFacts | undefined> => {
    const record = await recordOf('event', id);
    if (!record.ok) return undefined;
    const { has_clip, has_snapshot, start_time, label } = Object(record.value) as Readonly<Record<string, unknown>>;
    return {
      isGone: record.value === undefined,
      hasClip: has_clip === true,
      hasSnapshot: has_snapshot === true,
      at: typeof start_time === 'number' ? start_time : undefined,
      label: typeof label === 'string' ? label : undefined,
    };
  };
  return {
    filesOf: (thing: SharedThing) => thingFiles(nvr().things, thing),
    /** The playlist of the thing, below the link; undefined where the NVR has none. */
    playlistOf: (thing: SharedThing) => thingPlaylist(nvr().things, thing),
    recordOf,
    /** All files of a thing are judged alike: by its camera and by one verb. */
    async denial(caller: Caller): Promise<RefusalReason | undefined> {
      const { credential } = caller;
      if (credential.kind !== 'link') return 'no-credentials';
      const { thing } = credential;
      const { things } = nvr();
      const target = thingTarget(things, thing, thingFiles(things, thing).slice(0, 1));
      if (target === undefined) return 'path-not-found';
      const facts = toFacts('GET', target, [], '127.0.0.1');
      const known = () => ({ kind: 'identified', caller }) as const;
      const now = rules();
      const admission = await admit(facts, { ...now, sources: { ...now.sources, external: [known] } });
      return admission.kind === 'refused' ? admission.reason : undefined;
    },
    /** What the page tells of the thing. */
    async factsOf(thing: SharedThing): Promise<LinkFacts> {
      switch (thing.kind) {
        case 'event':
          return (await eventFacts(thing.id)) ?? {};
        case 'review': {
          const record = await recordOf('review', thing.id);
          if (!record.ok) return {};
          const { start_time: from, end_time: to } = Object(record.value) as Readonly<Record<string, unknown>>;
          const isPast = typeof from === 'number' && typeof to === 'number';
          const isGone = record.value === undefined || (isPast && (await hasNoRecording(thing.camera, from, to)));
          return { isGone, at: typeof from === 'number' ? from : undefined };
        }
        case 'recording':
          return { isGone: await hasNoRecording(thing.camera, thing.from, thing.to), at: thing.from };
        case 'live':
        case 'snapshot':
          return {};
      }
    },
    /**
     * Where the NVR could not send a file: that there is none, where the events kept here say so, else the reason as it is. `path`
     * is that of the link, or of the NVR.
     */
    async faultOf({ credential }: Caller, path: string, reason: RefusalReason): Promise<RefusalReason> {
      if (credential.kind !== 'link') return reason;
      const { thing } = credential;
      // Only events that are kept here: the NVR itself has just failed.
      if (thing.kind !== 'event' || !destinations.eventsBackend || REFUSALS[reason].status < 500) return reason;
      const facts = await eventFacts(thing.id);
      if (!facts) return reason;
      const { things } = nvr();
      const { 'snapshot.jpg': snapshot, 'clip.mp4': clip } = things.filesOf(thing);
      const playlists = things.playlistsOf(thing);
      const asked = isBelowLinks(path) ? thingTarget(things, thing, path.split('/').slice(3)) : path;
      const isClip = asked === clip || (playlists !== undefined && asked?.startsWith(`${playlists}/`));
      const isThere = asked === snapshot ? facts.hasSnapshot : isClip ? facts.hasClip : true;
      return isThere ? reason : 'link-file-absent';
    },
  };
}

const isBelowLinks = (path: string): boolean => path.startsWith(`${LINK_PATH}/`);
