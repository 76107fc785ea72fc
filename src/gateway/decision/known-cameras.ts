/** What the NVR has, as far as it is known: asked for at start and from time to time (SPEC 1, `nvr.cameras`). */
import { layoutOfConfig, layoutOfNames, type RecorderLayout } from '../../access/recorder-layout.ts';
import type { CameraName } from '../../domain/names.ts';

export interface CameraQuestions {
  /** `nvr.cameras`: there are no others, whatever the NVR says. */
  readonly configured: readonly CameraName[] | undefined;
  /** Undefined when there is nobody to ask. */
  readonly ask: (() => Promise<RecorderLayout>) | undefined;
  readonly onChange: (cameras: readonly CameraName[]) => void;
  readonly onFault: (fault: unknown) => void;
}

export interface KnownCameraList {
  /** Undefined until they were first read: a guess could show too much. */
  current(): readonly CameraName[] | undefined;
  layout(): RecorderLayout | undefined;
  /** The text of a configuration that the NVR gave to somebody; what is none changes nothing. */
  learn(config: string): void;
  /** Asks again now; the last answer stands when nobody answers. */
  refresh(): Promise<void>;
  stop(): void;
}

const REFRESH_MS = 60_000;
const RETRY_MS = 2_000;

export function watchKnownCameras({ configured, ask, onChange, onFault }: CameraQuestions): KnownCameraList {
  let layout = configured && layoutOfNames(configured);
  let wasRead = false;
  let timer: NodeJS.Timeout | undefined;
  let asking: Promise<void> | undefined;

  const keep = (found: RecorderLayout): void => {
    const hasChanged = found.cameras.join('\n') !== layout?.cameras.join('\n');
    layout = found;
    wasRead = true;
    if (hasChanged) onChange(found.cameras);
  };
  const read = async (): Promise<void> => {
    if (!ask) return;
    try {
      keep(await ask());
    } catch (fault) {
      onFault(fault);
    }
  };
  const learn = (config: string): void => {
    try {
      keep(layoutOfConfig(JSON.parse(config), configured));
    } catch {
      // Whoever asked for it is told.
    }
  };
  const refresh = (): Promise<void> => {
    asking ??= read().finally(() => {
      asking = undefined;
    });
    return asking;
  };
  const again = (): void => {
    // Of configured cameras only zones and streams are asked for, and nobody has to wait for these.
    if (configured && wasRead) return;
    timer = setTimeout(() => void refresh().then(again), wasRead || configured ? REFRESH_MS : RETRY_MS);
    timer.unref();
  };
  if (ask) again();
  return { current: () => layout?.cameras, layout: () => layout, learn, refresh, stop: () => clearTimeout(timer) };
}
