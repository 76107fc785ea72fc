/** The sentences of the page of a screen: the server writes them into the page, in the browser's language. */
import type { Templates, Texts } from '../../../locales/texts.ts';

export type ScreenWords = Templates<Texts['screens']['page']>;

/** What the page's script reads from `<body data-facts>`. */
export interface ScreenFacts {
  /** The prefix of all paths; '' for none. */
  readonly basePath: string;
  /** The address of a still image below it, by `cameraAddress`; null where the NVR has none. */
  readonly still: string | null;
  /** Likewise that of a WebSocket with the live stream. */
  readonly live: string | null;
  readonly words: ScreenWords;
}
