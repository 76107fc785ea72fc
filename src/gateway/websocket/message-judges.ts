/** What passes a WebSocket that is judged message by message: the NVR's own messages, or live signalling (SPEC 5). */
import type { MessageObligations, SignallingObligations } from '../../access/access-verdict.ts';
import type { CameraView } from '../../access/camera-view.ts';
import { createLiveSignalling, type LiveVerdict } from '../../access/live/live-messages.ts';
import type { MessageRules } from '../../access/nvr-adapter.ts';

export interface Message {
  readonly data: Buffer | string;
  readonly isBinary: boolean;
}

export interface MessageJudge {
  fromClient(message: Message): LiveVerdict;
  /** What the client is told; undefined for nothing. */
  fromNvr(message: Message): Message | undefined;
}

const MALFORMED: LiveVerdict = { kind: 'malformed' };

/** `view` is asked for each message: cameras come and go while a socket is open. */
export const judgeTopics = (
  rules: MessageRules,
  view: () => CameraView,
  obligations: MessageObligations,
): MessageJudge => ({
  fromClient: ({ data, isBinary }) => (isBinary ? MALFORMED : rules.fromClient(String(data), view(), obligations)),
  fromNvr(message) {
    const current = view();
    if (current.clearance === 'admin') return message;
    const text = message.isBinary ? undefined : narrowed(rules, String(message.data), current, obligations);
    return text === undefined ? undefined : { data: text, isBinary: false };
  },
});

/** JSON that is nested too deep exhausts the stack of its reader: such a message is dropped. */
function narrowed(
  { fromNvr }: MessageRules,
  text: string,
  view: CameraView,
  obligations: MessageObligations,
): string | undefined {
  try {
    return fromNvr(text, view, obligations);
  } catch {
    return undefined;
  }
}

/** The judge of one socket: playlists of the NVR are told, offers and candidates are counted. Pictures and answers pass untouched. */
export function judgeSignalling(
  obligations: SignallingObligations,
  onPlaylist?: (playlist: string) => void,
): MessageJudge {
  const signalling = createLiveSignalling(obligations, onPlaylist);
  return {
    fromClient: ({ data, isBinary }) => (isBinary ? MALFORMED : signalling.fromClient(String(data))),
    fromNvr(message) {
      if (message.isBinary) return message;
      const text = signalling.fromServer(String(message.data));
      return text === undefined ? undefined : { data: text, isBinary: false };
    },
  };
}
