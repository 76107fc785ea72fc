/** Takes a configuration that was read again, or keeps the one that runs; says which, and why (SPEC 1, reload). */
import { isDeepStrictEqual } from 'node:util';
import type { NewAdminPassword } from './accounts/first-admin.ts';
import { type Edition, openEdition } from './app-edition.ts';
import type { House } from './app-house.ts';
import { logRules } from './app-logs.ts';
import { createRetirement, replacedParts } from './app-parts.ts';
import { type Renewal, renewed } from './config/changed-keys.ts';
import { type Finding, formatProblem } from './config/problems.ts';
import type { InvalidConfig, ServiceConfig, ServiceConfigOutcome } from './config/service-config.ts';
import { reviewStream } from './gateway/review-stream.ts';

export interface Reloaded {
  /** Why not is in the log. */
  readonly isTaken: boolean;
  /** To be shown once, when it needed one. */
  readonly newAdminPassword: NewAdminPassword | undefined;
  /** When one of these changes it is time to read again. */
  readonly files: readonly string[];
}

export interface Editions {
  inForce(): Edition;
  /** For the status page: what was said of the configuration, what waits for a restart, why the last one was not taken. */
  warnings(): readonly string[];
  /** Before anything is served. */
  open(config: ServiceConfig, house: House): Promise<void>;
  /** One after another, each read when it is its turn: what holds in the end is what was written last. */
  reload(read: () => Promise<ServiceConfigOutcome>): Promise<Reloaded>;
  close(): Promise<void>;
}

const NOT_TAKEN = 'the configuration is not taken: the one that was read before stays in use';
const AFTER_RESTART = 'was changed, and holds from the next start on';

export function createEditions(): Editions {
  let opened: { readonly edition: Edition; readonly house: House } | undefined;
  let waiting: readonly string[] = [];
  let notTaken: readonly string[] = [];
  let queue: Promise<unknown> = Promise.resolve();
  const retirement = createRetirement();

  const now = () => {
    if (!opened) throw new Error('nothing is configured yet');
    return opened;
  };
  const reject = ({ file, files, problems }: Omit<InvalidConfig, 'kind'>): Reloaded => {
    const { log, counters } = now().house;
    const sentences = problems.map((problem) => formatProblem(file, problem));
    for (const [at, { path, line }] of problems.entries()) log.error({ key: path || undefined, line }, sentences[at]);
    log.error({ file, problems: problems.length }, NOT_TAKEN);
    counters.metrics.reloads.add(1, 'rejected');
    counters.metrics.reloadSuccessful.set(0);
    notTaken = [`${file}: ${NOT_TAKEN}`, ...sentences];
    return { isTaken: false, newAdminPassword: undefined, files };
  };
  /** One moment in which all of it holds; what can fail came before it. */
  const swap = (next: Edition, { changed, waiting: later }: Renewal): void => {
    const { edition: before, house } = now();
    const { config } = next;
    house.logs.setLevels(logRules(next.settings));
    opened = { edition: next, house };
    house.accounts.enforce(next.accounts);
    retirement.add(replacedParts(before.parts, next.parts));
    waiting = later.map((key) => sentenceOf({ path: key.split('.'), message: AFTER_RESTART }, config));
    notTaken = [];
    noteTaken(
      house,
      config.file,
      isDeepStrictEqual(before.config.policy, config.policy) ? changed : withTable(changed),
    );
    for (const warning of warnings()) house.log.warn(warning);
  };
  /** What follows from it for people who are there, and for those who are not there any more. */
  const settle = async (): Promise<NewAdminPassword | undefined> => {
    const { edition, house } = now();
    const { accounts, rules } = edition;
    try {
      const made = await house.accounts.settle(accounts, false);
      const judges = { rules: rules(), recheck: accounts.recheck };
      await house.openStreams.review((stream) => reviewStream(stream, judges));
      return made;
    } catch (fault) {
      house.log.error({ err: fault }, 'whom the configuration changes could not be looked up: reload it again');
      return undefined;
    }
  };
  const warnings = (): readonly string[] => {
    const { edition, house } = now();
    return [...notTaken, ...waiting, ...edition.config.warnings, ...house.trustedHeaders.warnings(edition.config)];
  };

  return {
    inForce: () => now().edition,
    warnings,
    async open(config, house) {
      const edition = await openEdition(config, house);
      opened = { edition, house };
      house.accounts.onRoles(() => now().edition.parts.events.it?.tellRoles());
      house.accounts.enforce(edition.accounts);
      house.counters.metrics.reloadSuccessful.set(1);
      house.counters.metrics.reloadTimestamp.set(house.clock.now() / 1000);
    },
    reload(read) {
      const turn = queue.then(async () => {
        const { edition, house } = now();
        const config = await read().catch((fault) => unreadable(fault, edition.config));
        if (config.kind === 'invalid') return reject(config);
        const renewal = renewed(edition.settings, config.settings);
        const next = await openEdition({ ...config, settings: renewal.settings }, house, edition).catch(asError);
        if (next instanceof Error) return reject({ ...config, problems: [{ path: '', message: next.message }] });
        swap(next, renewal);
        return { isTaken: true, newAdminPassword: await settle(), files: config.files };
      });
      queue = turn.catch(() => {});
      return turn;
    },
    async close() {
      await queue;
      await retirement.close();
      if (!opened) return;
      for (const { close } of replacedParts(opened.edition.parts, undefined)) await close();
    },
  };
}

function noteTaken({ log, counters, clock }: House, file: string, changed: readonly string[]): void {
  log.info({ file, changed }, 'the configuration was read again, and is in use');
  counters.metrics.reloads.add(1, 'ok');
  counters.metrics.reloadSuccessful.set(1);
  counters.metrics.reloadTimestamp.set(clock.now() / 1000);
}

const sentenceOf = (finding: Finding, { file, placed }: ServiceConfig): string => formatProblem(file, placed(finding));

/** The key may say the same while the table that it names says something else. */
const withTable = (keys: readonly string[]): readonly string[] => [...new Set([...keys, 'nvr.policy'])];

const unreadable = (fault: unknown, { file, files }: ServiceConfig): InvalidConfig => ({
  kind: 'invalid',
  file,
  files,
  problems: [{ path: '', message: asError(fault).message }],
});

const asError = (fault: unknown): Error => (fault instanceof Error ? fault : new Error(String(fault)));
