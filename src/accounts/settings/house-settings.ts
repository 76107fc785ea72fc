/** Settings of the house, `/api/settings`: what the page Security shows and keeps in the store, and what other processes have set there (SPEC 8). */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Services } from '../../app/services.ts';
import { type CommandPlace, underStored } from '../../config/load-config.ts';
import { formatProblem, formatProblems } from '../../config/problems/problems.ts';
import { readServiceConfig } from '../../config/read-beside.ts';
import type { ServiceConfig, ServiceConfigOutcome } from '../../config/service-config.ts';
import { publicAddress } from '../../domain/addresses.ts';
import { createTaskQueue, sharedRun } from '../../domain/async.ts';
import { SETTING_NAMES, STORED_KEYS, type StoredKey, type StoredSettings } from '../../domain/stored-settings.ts';
import { BODY_NO, SUCCESS } from '../../routes/shapes.ts';
import type { SettingStore } from '../../store/accounts/house.ts';
import type { Store } from '../../store/open-store.ts';
import { SETTINGS } from '../http/answers.ts';
import { type Call, declaring, Refused, unfit } from '../http/kernel.ts';

export type SettingsAnswer = z.output<typeof SETTINGS>;

const NEW_VALUE = z.string().min(1).max(1024).nullable().optional();
/** Null: not set any more. */
const CHANGE = z.object({ second_factor: NEW_VALUE, timezone: NEW_VALUE, public_url: NEW_VALUE });
type Changed = z.output<typeof CHANGE>;

const route = declaring<Services>();

// biome-ignore format: a table
export const SETTING_ROUTES = [
  route({ route: 'GET /api/settings', access: 'admin', who: 'admin', summary: 'Two-step login, time zone and public address, and what sets each', yes: [200, SETTINGS], run: (_, { house }) => house.current() }),
  route({ route: 'PUT /api/settings', access: 'admin', who: 'admin', proof: 'settings', writes: true, summary: 'Keep them in the store; what is left out stays, null takes one out', body: CHANGE, reads: 'strict', yes: [200, SUCCESS], no: [...BODY_NO, 409], run: change }),
];

async function change({ body, record }: Call<Changed>, { house }: Pick<Services, 'house'>): Promise<void> {
  const write = (refused?: string): void => {
    for (const name of SETTING_NAMES)
      if (body[name] !== undefined) {
        const value = refused === undefined && { value: body[name] ?? 'default' };
        record({ what: 'setting-changed', setting: STORED_KEYS[name], ...value }, refused);
      }
  };
  const isInUse = await house.change(body).catch((fault) => {
    if (fault instanceof Refused) write(fault.recorded);
    throw fault;
  });
  write();
  if (!isInUse) throw new Refused(409, 'setting-not-reloaded', 'It is kept, but not in use: the page Status says why');
}

/** What came of a configuration that was read again. */
interface Reloading {
  readonly isTaken: boolean;
  /** Keys whose new value waits for a restart. */
  readonly waiting: readonly string[];
}

export type HouseSettings = Pick<ReturnType<typeof createHouseSettings>, 'current' | 'change'>;

const LOOK_MS = 1000;
const AGAIN_MS = 60_000;

export function createHouseSettings<Reloaded extends Reloading>(
  { directory, env }: Pick<CommandPlace, 'directory' | 'env'>,
  service: {
    readonly config: () => ServiceConfig;
    readonly store: () => Pick<Store, 'settings' | 'version'>;
    /** Takes up what `read` gives. */
    readonly reload: (read: () => Promise<ServiceConfigOutcome>) => Promise<Reloaded>;
  },
) {
  const { config, store, reload } = service;
  const readUnder = (stored: StoredSettings) =>
    readServiceConfig({ directory, env, whenMissing: 'refuse', stored }, config().schema);
  // While the store is away, its settings stay as they were.
  const latest = (): Promise<StoredSettings> =>
    store()
      .settings.readSettings()
      .catch(() => config().stored);
  const again = () => reload(async () => readUnder(await latest()));
  // Two changes at once would each be checked without the other.
  const turns = createTaskQueue(1);
  return {
    /** Reads file and store again, and takes up what they say. */
    reload: again,
    /** The configuration of a start, once its store is read. Rejects with every problem of it. */
    underStored: (store: SettingStore): Promise<ServiceConfig> => underStored(config(), store, readUnder),
    current(): SettingsAnswer {
      const { settings, given, placed, file } = config();
      const { auth, server } = settings;
      const values: Readonly<Record<StoredKey, string | null>> = {
        'auth.second_factor': auth.second_factor,
        'auth.timezone': auth.timezone ?? null,
        'server.public_url': server.public_url ? publicAddress(server.public_url, '') : null,
      };
      const shown = SETTING_NAMES.map((name) => {
        const key = STORED_KEYS[name];
        return [name, { value: values[key], set_by: given.has(key) ? placeOf(key, placed, file) : null }] as const;
      });
      return Object.fromEntries(shown) as SettingsAnswer;
    },
    /** False: it is kept, and not in use. Refuses by a `Refused`. */
    async change(values: Changed): Promise<boolean> {
      const leave = await turns.enter();
      try {
        const changes = SETTING_NAMES.flatMap((name) => {
          const value = values[name];
          return value === undefined ? [] : [[STORED_KEYS[name], value] as const];
        });
        const wanted = { ...(await store().settings.readSettings()), ...Object.fromEntries(changes) };
        const next = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== null));
        const read = await readUnder(next);
        if (read.kind === 'invalid')
          throw unfit('setting-invalid', formatProblems(read.file, read.problems), 400, 'invalid');
        const fixed = changes.find(([key]) => read.given.has(key));
        if (fixed) {
          const place = placeOf(fixed[0], read.placed, read.file);
          throw unfit(
            'setting-given',
            `${fixed[0]} is set by ${place}: change it there, or remove it there`,
            409,
            'given',
          );
        }
        await store().settings.changeSettings(Object.fromEntries(changes));
        const { isTaken, waiting } = await again();
        return isTaken && !changes.some(([key]) => waiting.includes(key));
      } finally {
        leave();
      }
    },
    /** Takes up, within a second, what another process has set. Gives the end of it. */
    watch(): () => void {
      let seen: string | undefined;
      /** What was not taken up, and when it is tried again: the reason may have passed. */
      let refused: { readonly stored: StoredSettings; readonly until: number } | undefined;
      const look = sharedRun(async (): Promise<void> => {
        const version = store().version();
        const isDue = refused !== undefined && performance.now() >= refused.until;
        if (version === seen && !isDue) return;
        const stored = await store().settings.readSettings();
        const isKnown = isDeepStrictEqual(stored, config().stored);
        if (!isKnown && (isDue || !isDeepStrictEqual(stored, refused?.stored))) {
          // What was read here is what is judged: another look at the store could fail.
          const { isTaken } = await reload(() => readUnder(stored));
          refused = isTaken ? undefined : { stored, until: performance.now() + AGAIN_MS };
        } else if (isKnown) refused = undefined;
        seen = version;
      });
      // A store that is away is told of elsewhere.
      const timer = setInterval(() => void look().catch(() => {}), LOOK_MS).unref();
      return () => clearInterval(timer);
    },
  };
}

/** Where the value stands that comes before that of the store: a variable, or a line of the file. */
function placeOf(key: StoredKey, placed: ServiceConfig['placed'], file: string): string {
  const { path: _, ...place } = placed({ path: key.split('.'), message: '' });
  return formatProblem(file, { ...place, path: '' }).replace(/: $/, '');
}
