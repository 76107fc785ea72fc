/** The cameras: of the NVR, asked for where its route table says that they are listed, or of the events (SPEC 1, 20). */
import type { Logger } from 'pino';
import type { CameraRules } from '../../access/nvr-adapter.ts';
import { layoutOfNames, namesIn, type RecorderLayout, readMember } from '../../access/recorder-layout.ts';
import type { CameraList, TableHead } from '../../config/policy/table-head.ts';
import type { Settings } from '../../config/schema/schema.ts';
import { repeated, sharedRun } from '../../domain/async.ts';
import type { CameraName } from '../../domain/names.ts';
import type { EventsBackend } from '../../events/open-events.ts';
import { adapterNamed } from '../../nvr/adapters.ts';
import { watchFault } from '../../telemetry/readiness.ts';
import { createAsker, type NvrConfig, upstreamOfNvr } from './nvr-questions.ts';

const cameraRules = ({ adapter }: TableHead): CameraRules => adapterNamed(adapter).cameras;

type CameraBackend = Pick<EventsBackend, 'upstream' | 'setCameras'>;
type OnCameras = (cameras: readonly CameraName[]) => void;

/** `stored`: the cameras of the events in the store. */
export function watchCameras(
  { settings, tableHead }: NvrConfig,
  backend: CameraBackend | undefined,
  {
    stored,
    onChange,
    log,
  }: { readonly stored: () => Promise<readonly string[]>; readonly onChange?: OnCameras; readonly log: Logger },
): KnownCameraList {
  const { nvr } = settings;
  const ask = nvr.url ? layoutOfNvr({ settings, tableHead }) : layoutOfEvents({ settings, tableHead }, backend, stored);
  return watchKnownCameras({
    rules: cameraRules(tableHead),
    // Where the table of an NVR names no list there are no others than those of nvr.cameras.
    configured: nvr.cameras ?? (nvr.url && !ask ? [] : undefined),
    ask,
    // The store's own cameras need no telling: they are where they were found.
    onChange(cameras) {
      if (nvr.url) backend?.setCameras(cameras);
      onChange?.(cameras);
    },
    log,
  });
}

function layoutOfEvents(
  { settings, tableHead }: NvrConfig,
  backend: CameraBackend | undefined,
  stored: () => Promise<readonly string[]>,
): (() => Promise<RecorderLayout>) | undefined {
  if (!backend || settings.nvr.cameras) return undefined;
  const ask = createAsker(settings);
  // The store answers at once, by its index: for this the backend need not be started.
  const names = settings.events.source === 'store' ? stored : () => ask(backend.upstream, '/cameras');
  const { reserved } = cameraRules(tableHead);
  return async () => layoutOfNames((await names()) as readonly CameraName[], reserved);
}

/** Undefined where the table names no list: then `nvr.cameras` are the cameras. */
function layoutOfNvr({ settings, tableHead }: NvrConfig): (() => Promise<RecorderLayout>) | undefined {
  const { cameras: configured } = settings.nvr;
  const lists = tableHead.cameras ?? [];
  const rules = cameraRules(tableHead);
  const [first, ...others] = lists;
  if (first === undefined) return undefined;
  if (first.names.in === 'config' && others.length === 0)
    return async () => rules.layoutOf(await askAt(settings, first.path), configured);
  if (configured) return undefined;
  return async () => {
    const names = (await Promise.all(lists.map((list) => listedNames(settings, list, rules)))).flat();
    return layoutOfNames([...new Set(names)] as readonly string[] as readonly CameraName[], rules.reserved);
  };
}

/** Asked for now; undefined without an NVR. */
export async function namesOfCameras(config: NvrConfig): Promise<readonly string[] | undefined> {
  const { url, cameras } = config.settings.nvr;
  const layout = url && layoutOfNvr(config);
  return layout ? (await layout()).cameras : cameras;
}

/** An NVR that always announces one more page must not be asked for ever. */
const MOST_PAGES = 100;

async function listedNames(
  settings: Settings,
  { path, names, pages, without }: CameraList,
  rules: CameraRules,
): Promise<readonly string[]> {
  const isKept = (name: string): boolean => without === undefined || !name.includes(without);
  const first = await askAt(settings, path);
  if (names.in === 'config') return rules.layoutOf(first).cameras.filter(isKept);
  const found = [...namesIn(first, names)];
  const count = pages ? readMember(first, pages.count) : 1;
  if (typeof count !== 'number') throw new Error(`the answer to ${path} has no number ${pages?.count}`);
  if (count > MOST_PAGES) throw new Error(`${path} has ${count} pages, and ${MOST_PAGES} are read at most`);
  for (let page = 1; page < count; page += 1) {
    const at = `${path}${path.includes('?') ? '&' : '?'}${pages?.parameter}=${page}`;
    found.push(...namesIn(await askAt(settings, at), names));
  }
  return found.filter(isKept);
}

async function askAt(settings: Settings, path: string): Promise<unknown> {
  const upstream = upstreamOfNvr(settings, path);
  return upstream && createAsker(settings)(upstream, path);
}

export type KnownCameraList = ReturnType<typeof watchKnownCameras>;

const REFRESH_MS = 60_000;
const RETRY_MS = 2_000;

/**
 * The cameras of the NVR, as far as they are known: read at start and from time to time (SPEC 1, `nvr.cameras`). `ask` is
 * undefined when there is no NVR and no events backend to ask; of `configured` there are no others, whatever the NVR says.
 */
export function watchKnownCameras({
  configured,
  rules,
  ask,
  onChange,
  log,
}: {
  readonly configured: readonly CameraName[] | undefined;
  readonly rules: CameraRules;
  readonly ask: (() => Promise<RecorderLayout>) | undefined;
  readonly onChange: OnCameras;
  readonly log: Pick<Logger, 'warn' | 'info'>;
}) {
  let layout = configured && layoutOfNames(configured, rules.reserved);
  let wasRead = false;
  /** What was learned last, while nothing else was: pages of several people read the same again and again. */
  let learned: Buffer | undefined;

  const state = watchFault<unknown>({
    onFault: (err) =>
      log.warn(
        { err },
        'the list of cameras could not be read from the NVR, and will be asked for again: check nvr.url',
      ),
    onReturn: () => log.info('the list of cameras can be read from the NVR again'),
  });
  const keep = (found: RecorderLayout): void => {
    const hasChanged = found.cameras.join('\n') !== layout?.cameras.join('\n');
    layout = found;
    wasRead = true;
    state.found();
    if (hasChanged) onChange(found.cameras);
  };
  const refresh = sharedRun(async (): Promise<void> => {
    if (!ask) return;
    try {
      keep(await ask());
      learned = undefined;
    } catch (fault) {
      state.found(fault);
    }
  });
  const learn = (config: Uint8Array): void => {
    if (learned?.equals(config)) return;
    learned = Buffer.from(config);
    try {
      keep(rules.layoutOf(JSON.parse(learned.toString()), configured));
    } catch {
      // The caller that asked for it is told; the list stays as it is.
    }
  };
  const asking = repeated(async () => {
    await refresh();
    // With `nvr.cameras` set only zones and streams are asked for; no request waits for them.
    return configured && wasRead ? undefined : pause();
  });
  const pause = (): number => (wasRead || configured ? REFRESH_MS : RETRY_MS);
  if (ask) asking.after(pause());
  return {
    /** Undefined until they were first read: a guess could show too much. */
    current: (): readonly CameraName[] | undefined => layout?.cameras,
    layout: (): RecorderLayout | undefined => layout,
    /** Why the cameras are not known, or no more than they were; undefined when the last question was answered. */
    fault: (): string | undefined => (configured ? undefined : whyUnread(state.fault())),
    /** Takes over the NVR's configuration as it gave it to a caller. What is no configuration changes nothing. */
    learn,
    /** Asks again now. The last list stays when the NVR does not answer. */
    refresh,
    stop: (): void => void asking.close(),
  };
}

/** What the parser says of it holds a piece of the answer. */
function whyUnread(fault: unknown): string | undefined {
  if (fault === undefined) return undefined;
  return fault instanceof SyntaxError ? 'its answer is no JSON' : fault instanceof Error ? fault.message : '';
}
