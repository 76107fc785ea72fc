/** The cameras of the NVR, as far as they are known: read at start and from time to time (SPEC 1, `nvr.cameras`). */

import type { CameraRules } from '../../access/nvr-adapter.ts';
import { layoutOfNames, type RecorderLayout } from '../../access/recorder-layout.ts';
import type { CameraName } from '../../domain/names.ts';

export interface CameraQuestions {
  /** `nvr.cameras`: there are no others, whatever the NVR says. */
  readonly configured: readonly CameraName[] | undefined;
  /** The adapter's. */
  readonly rules: CameraRules;
  /** Undefined when there is no NVR and no events backend to ask. */
  readonly ask: (() => Promise<RecorderLayout>) | undefined;
  readonly onChange: (cameras: readonly CameraName[]) => void;
  readonly onFault: (fault: unknown) => void;
}

export interface KnownCameraList {
  /** Undefined until they were first read: a guess could show too much. */
  current(): readonly CameraName[] | undefined;
  layout(): RecorderLayout | undefined;
  /** Why the cameras are not known, or no more than they were; undefined when the last question was answered. */
  fault(): string | undefined;
  /** Takes over the NVR's configuration as it gave it to a caller. What is no configuration changes nothing. */
  learn(config: Uint8Array): void;
  /** Asks again now. The last list stays when the NVR does not answer. */
  refresh(): Promise<void>;
  stop(): void;
}

const REFRESH_MS = 60_000;
const RETRY_MS = 2_000;

export function watchKnownCameras({ configured, rules, ask, onChange, onFault }: CameraQuestions): KnownCameraList {
  let layout = configured && layoutOfNames(configured, rules.reserved);
  let wasRead = false;
  let failed: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  /** What was learned last, while nothing else was: pages of several people read the same again and again. */
  let learned: Buffer | undefined;
  let asking: Promise<void> | undefined;

  const keep = (found: RecorderLayout): void => {
    const hasChanged = found.cameras.join('\n') !== layout?.cameras.join('\n');
    layout = found;
    wasRead = true;
    failed = undefined;
    if (hasChanged) onChange(found.cameras);
  };
  const read = async (): Promise<void> => {
    if (!ask) return;
    try {
      keep(await ask());
      learned = undefined;
    } catch (fault) {
      // What the parser says of it holds a piece of the answer.
      failed = fault instanceof SyntaxError ? 'its answer is no JSON' : fault instanceof Error ? fault.message : '';
      onFault(fault);
    }
  };
  const learn = (config: Uint8Array): void => {
    if (learned?.equals(config)) return;
    learned = Buffer.from(config);
    try {
      keep(rules.layoutOf(JSON.parse(learned.toString()), configured));
    } catch {
      // The caller that asked for it is told; the list stays as it is.
    }
  };
  const refresh = (): Promise<void> => {
    asking ??= read().finally(() => {
      asking = undefined;
    });
    return asking;
  };
  const again = (): void => {
    // With `nvr.cameras` set only zones and streams are asked for; no request waits for them.
    if (configured && wasRead) return;
    timer = setTimeout(() => void refresh().then(again), wasRead || configured ? REFRESH_MS : RETRY_MS);
    timer.unref();
  };
  if (ask) again();
  const fault = () => (configured ? undefined : failed);
  return {
    current: () => layout?.cameras,
    layout: () => layout,
    fault,
    learn,
    refresh,
    stop: () => clearTimeout(timer),
  };
}
