/** What the server writes into the page of a screen, and the addresses of its pictures. Pure. */
import type { Templates, Texts } from '../../../locales/texts.ts';

/** What the page's script reads from `<body data-facts>`; the sentences are in the browser's language. */
export interface ScreenFacts {
  /** The prefix of all paths; '' for none. */
  readonly basePath: string;
  /** The address of a still image below it, by `cameraAddress`; null where the NVR has none. */
  readonly still: string | null;
  /** Likewise that of a WebSocket with the live stream. */
  readonly live: string | null;
  readonly words: Templates<Texts['screens']['page']>;
}

/** The route table's address of a camera's picture or stream, with the camera, the height and the time in their places. */
export const cameraAddress = (written: string, camera: string, height = 0, time = 0): string =>
  written
    .replace('{camera...}', () => camera.split('/').map(encodeURIComponent).join('/'))
    .replace('{camera}', () => encodeURIComponent(camera))
    .replace('{height}', () => String(height))
    .replace('{time}', () => String(time));
