/** Facts about the service that the server writes into the console's page. */
export interface PageFacts {
  /** `ui.name`. */
  readonly name: string;
  /** Clips and snapshots are the NVR's. */
  readonly hasNvr: boolean;
  /** The address of a camera's still image below the base path, by `cameraAddress`; null where the NVR has none. */
  readonly still: string | null;
  /** Likewise that of its live stream. */
  readonly live: string | null;
  /** Who answers for events: the NVR, or Postern's own backend. */
  readonly eventsBy: 'nvr' | 'backend';
  /** False when an authentication proxy in front handles the login. */
  readonly hasOwnLogin: boolean;
  /** Relative to the base path. */
  readonly loginPath: string;
  /** The least length of a new password, in characters. */
  readonly shortestPassword: number;
  /** The address that passkeys are made for; '' without passkeys. */
  readonly passkeyOrigin: string;
  /** Several NVRs share the accounts. */
  readonly hasOtherNvrs: boolean;
  /** The providers that people can sign in with. `label`: what people call it. */
  readonly providers: readonly { readonly name: string; readonly label: string }[];
}

/** The route table's address of a camera's picture or stream, with the camera, the height and the time in their places. */
export const cameraAddress = (written: string, camera: string, height = 0, time = 0): string =>
  written
    .replace('{camera...}', () => camera.split('/').map(encodeURIComponent).join('/'))
    .replace('{camera}', () => encodeURIComponent(camera))
    .replace('{height}', () => String(height))
    .replace('{time}', () => String(time));
