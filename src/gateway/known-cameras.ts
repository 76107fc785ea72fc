/** The cameras that exist: configured, or asked for at start and from time to time (SPEC 1, `nvr.cameras`). */
import type { KnownCameras } from '../access/authorize.ts';
import type { CameraName } from '../domain/names.ts';

export interface CameraQuestions {
  /** `nvr.cameras`; nobody is asked when it is given. */
  readonly configured: readonly CameraName[] | undefined;
  readonly ask: () => Promise<readonly CameraName[]>;
  readonly onChange: (cameras: readonly CameraName[]) => void;
  readonly onFault: (fault: unknown) => void;
}

export interface KnownCameraList {
  /** Undefined until they were first read: a guess could show too much. */
  current(): KnownCameras;
  /** Asks again now; the last answer stands when nobody answers. */
  refresh(): Promise<void>;
  stop(): void;
}

const REFRESH_MS = 60_000;
const RETRY_MS = 2_000;

export function watchKnownCameras(questions: CameraQuestions): KnownCameraList {
  let current: KnownCameras = questions.configured;
  let timer: NodeJS.Timeout | undefined;

  const refresh = async (): Promise<void> => {
    if (questions.configured) return;
    try {
      const cameras = await questions.ask();
      const hasChanged = cameras.join('\n') !== current?.join('\n');
      current = cameras;
      if (hasChanged) questions.onChange(cameras);
    } catch (fault) {
      questions.onFault(fault);
    }
  };
  const again = (): void => {
    timer = setTimeout(() => void refresh().then(again), current ? REFRESH_MS : RETRY_MS);
    timer.unref();
  };
  if (!questions.configured) again();
  return { current: () => current, refresh, stop: () => clearTimeout(timer) };
}

/** The camera names of an NVR's `GET /api/config`, or a fault that says what is missing there. */
export function camerasOfConfig(config: unknown): CameraName[] {
  const cameras = typeof config === 'object' && config !== null && 'cameras' in config ? config.cameras : undefined;
  if (typeof cameras !== 'object' || cameras === null) throw new Error('the configuration of the NVR has no "cameras"');
  return Object.keys(cameras) as CameraName[];
}
