/** Hot reload: the active generation, and the switch to the next one, all at one moment or not at all (SPEC 1). */
import { basename } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { NewAdminPassword } from '../accounts/login/first-admin.ts';
import { CUT, EMPTIED, isCut } from '../config/marks.ts';
import { formatProblem, type Problem } from '../config/problems/problems.ts';
import { type Renewal, renewed } from '../config/rules.ts';
import type { InvalidConfig, ServiceConfig, ServiceConfigOutcome } from '../config/service-config.ts';
import { ADMIN, NO_ROLE, VIEWER } from '../domain/names.ts';
import { faultMessage } from '../domain/result.ts';
import { STORED_KEYS } from '../domain/stored-settings.ts';
import { type HeldStream, reviewStream, withoutQuestions } from '../gateway/entry/open-streams.ts';
import type { Store } from '../store/open-store.ts';
import { logRules } from '../telemetry/logs/log.ts';
import { type Generation, type GenerationDeps, openGeneration } from './generation.ts';
import { createRetirement, replacedComponents } from './resources/components.ts';
import type { Runtime } from './runtime.ts';

export interface Reloaded {
  /** Why not is in the log. */
  readonly isTaken: boolean;
  /** Keys whose new value waits for a restart; the status page says why. */
  readonly waiting: readonly string[];
  /** The password to be shown once, when it needed one. */
  readonly newAdminPassword: NewAdminPassword | undefined;
  /** When one of these changes it is time to read again. */
  readonly files: readonly string[];
}

export type Generations = ReturnType<typeof createGenerations>;

/** `more`: warnings for the status page beside those of the configuration, a sentence each. `parts`: what outlives every generation. */
export function createGenerations(more: () => readonly string[], parts: Pick<GenerationDeps, 'house'>) {
  let opened: { generation: Generation; readonly runtime: Runtime } | undefined;
  let queue: Promise<unknown> = Promise.resolve();
  const retirement = createRetirement();
  const report = createReloadReport(more);

  const now = () => {
    if (!opened) throw new Error('no configuration is active yet');
    return opened;
  };
  const reject = (config: Omit<InvalidConfig, 'kind'>): Reloaded => {
    report.rejected(config, now().runtime);
    return { isTaken: false, waiting: [], newAdminPassword: undefined, files: config.files };
  };
  /** What can fail comes first; then everything is swapped at one moment. */
  const take = async (config: ServiceConfig): Promise<Reloaded> => {
    const active = now();
    const { generation: before, runtime } = active;
    const loss = await lossIn(config, runtime.store, before.config);
    if (loss) return reject({ ...config, problems: [loss] });
    const unread = runtime.trustedHeaders.problems(config);
    if (unread.length > 0) return reject({ ...config, problems: unread });
    const renewal = renewed(
      config.schema,
      before.settings,
      config.settings,
      new Set([...config.given, ...chosen(before.config, config)]),
    );
    await setImmediate(); // other requests come first
    const next = await openGeneration(
      { ...config, settings: renewal.settings },
      { runtime, warnings: report.warnings, ...parts },
      before,
    );
    active.generation = next;
    runtime.logs.setLevels(logRules(next.settings));
    runtime.accounts.enforce(next.accounts);
    retirement.add(replacedComponents(before.components, next.components));
    report.taken(next, before, renewal, runtime);
    await setImmediate();
    const newAdminPassword = await settled(next, runtime);
    return { isTaken: true, waiting: renewal.waiting, newAdminPassword, files: config.files };
  };
  const renew = async (read: () => Promise<ServiceConfigOutcome>): Promise<Reloaded> => {
    let { file, files } = now().generation.config;
    try {
      const config = await read();
      ({ file, files } = config);
      return config.kind === 'invalid' ? reject(config) : await take(config);
    } catch (fault) {
      const message = faultMessage(fault);
      return reject({ file, files, problems: [{ path: '', message }] });
    }
  };

  return {
    active: (): Generation => now().generation,
    /** Undefined until the first one is open. */
    config: (): ServiceConfig | undefined => opened?.generation.config,
    warnings: report.warnings,
    /** Opens the parts before anything is served. Each later generation takes the place of the one that it returns. */
    async open(config: ServiceConfig, runtime: Runtime): Promise<{ readonly generation: Generation }> {
      const loss = await lossIn(config, runtime.store);
      if (loss) throw new Error(formatProblem(config.file, loss));
      const generation = await openGeneration(config, { runtime, warnings: report.warnings, ...parts });
      opened = { generation, runtime };
      runtime.accounts.onRoles(() => now().generation.components.events.it?.tellRoles());
      runtime.accounts.enforce(generation.accounts);
      report.started(generation, runtime);
      return opened;
    },
    /** One after another, each read when it is its turn: what holds in the end is what was written last. */
    reload(read: () => Promise<ServiceConfigOutcome>): Promise<Reloaded> {
      const turn = queue.then(() => renew(read));
      queue = turn;
      return turn;
    },
    async close(): Promise<void> {
      await queue;
      await retirement.close();
      if (!opened) return;
      for (const { close } of replacedComponents(opened.generation.components, undefined)) await close();
    },
  };
}

/** What an admin has set or taken out on the page Security since: it may allow more, as what is written in the file may. */
const chosen = ({ stored: before }: ServiceConfig, { stored }: ServiceConfig): readonly string[] =>
  Object.values(STORED_KEYS).filter((key) => before[key] !== stored[key]);

/** Applies the new configuration to users and to open streams: what fails for one leaves the others as they must be. */
async function settled({ accounts, rules }: Generation, runtime: Runtime): Promise<NewAdminPassword | undefined> {
  const failed = (sentence: string) => (fault: unknown) => void runtime.log.error({ err: fault }, sentence);
  const made = await runtime.accounts
    .settle(accounts, false)
    .catch(failed('the reload could not update users: see the cause, then reload the configuration again'));
  // By row and role first: an NVR that is slow to say whose a stream is keeps none open that those end.
  const judges = [withoutQuestions(rules()), rules()].map(
    (known) => (stream: HeldStream) => reviewStream(stream, { rules: known, recheck: accounts.recheck }),
  );
  await runtime.openStreams
    .review(judges)
    .catch(failed('the reload could not judge all open streams: those it failed for were ended, see the cause'));
  return made ?? undefined;
}

/** What is wrong with a configuration that lacks what was there before. `before`: the active one, at a reload. */
async function lossIn(
  config: ServiceConfig,
  store: Pick<Store, 'accounts' | 'roles' | 'here' | 'hasOtherNvrs'>,
  before?: ServiceConfig,
): Promise<Problem | undefined> {
  if (config.isEmpty && before && !before.isEmpty) return EMPTIED;
  const cut = before && cutFile(config, before);
  if (cut) return cut;
  if (config.given.has('auth.roles')) return undefined;
  const stored = (await store.roles.listRoles()).map(({ role }) => role);
  const defined = new Set([ADMIN, VIEWER, NO_ROLE, ...stored, ...(await store.roles.rolesElsewhere(store.here))]);
  const orphans = (await store.accounts.listUsers()).filter(
    ({ role, roleSource }) => roleSource === undefined && !defined.has(role),
  );
  if (orphans.length === 0) return undefined;
  const roles = [...new Set(orphans.map(({ role }) => role))].sort().join(', ');
  const users = orphans.length === 1 ? '1 user has' : `${orphans.length} users have`;
  // With other NVRs an empty map may make them viewers there, too.
  const otherwise = store.hasOtherNvrs
    ? 'give each of these users another role, with "postern users role <name> <role>"'
    : 'write "roles: {}" below "auth:" to make these users viewers';
  const message = `is missing, but ${users} a role that nothing else defines (${roles}): put auth.roles back, or ${otherwise}`;
  return config.placed({ path: ['auth', 'roles'], message });
}

/** The problem when the configuration itself, or a route table that it names, is only the beginning of the one before. */
function cutFile(config: ServiceConfig, before: ServiceConfig): Problem | undefined {
  if (isCut(config.text, before.text)) return CUT;
  const cut = [...config.policyTexts].find(([file, text]) => isCut(text, before.policyTexts.get(file) ?? ''));
  return cut && { ...CUT, source: basename(cut[0]) };
}

const NOT_TAKEN = 'configuration not reloaded, the previous one stays active: correct the file';
const TAKEN = 'configuration reloaded';
const AFTER_RESTART = 'was changed: restart to apply it';
const HELD =
  'was changed or removed, which would allow more than before, so the previous value stays active: restart to apply the change, write the key with the value that you want, or undo it';

/** `more`: warnings of other parts, a sentence each. */
function createReloadReport(more: () => readonly string[]) {
  let notTaken: readonly string[] = [];
  let waiting: readonly string[] = [];
  let ofGeneration = (): readonly string[] => [];
  /** Warnings of the active configuration, keys that wait for a restart, and why the last reload was rejected: a sentence each. */
  const warnings = (): readonly string[] => [...notTaken, ...waiting, ...ofGeneration(), ...more()];
  const announce = ({ config }: Generation, runtime: Runtime): void => {
    ofGeneration = () => [...config.warnings, ...runtime.trustedHeaders.warnings(config)];
    for (const warning of warnings()) runtime.log.warn(warning);
    runtime.counters.metrics.reloadSuccessful.set(1);
  };
  return {
    warnings,
    /** Notes the state of the start. Call it once. */
    started: announce,
    taken(next: Generation, before: Generation, renewal: Renewal, runtime: Runtime): void {
      const { config } = next;
      notTaken = [];
      waiting = [
        ...renewal.waiting.map((key) => waitingFor(key, renewal, config)),
        ...renewal.warnings.map((finding) => formatProblem(config.file, config.placed(finding))),
      ];
      runtime.log.info({ file: config.file, changed: changedKeys(renewal, before, next) }, TAKEN);
      announce(next, runtime);
    },
    rejected({ file, problems }: Omit<InvalidConfig, 'kind'>, { log, counters: { metrics } }: Runtime): void {
      const sentences = problems.map((problem) => formatProblem(file, problem));
      notTaken = [`${file}: ${NOT_TAKEN}`, ...sentences];
      for (const [at, { path, line }] of problems.entries()) log.error({ key: path || undefined, line }, sentences[at]);
      log.error({ file, problems: problems.length }, NOT_TAKEN);
      metrics.reloadSuccessful.set(0);
    },
  };
}

const waitingFor = (key: string, { held }: Renewal, { file, placed }: ServiceConfig): string =>
  formatProblem(file, placed({ path: key.split('.'), message: held.includes(key) ? HELD : AFTER_RESTART }));

/** `nvr.policy` may be the same while the file that it names has changed. */
function changedKeys({ changed }: Renewal, before: Generation, next: Generation): readonly string[] {
  const isSameTable = isDeepStrictEqual(before.config.policy, next.config.policy);
  return isSameTable ? changed : [...new Set([...changed, 'nvr.policy'])];
}
