/** The edition in force, and the way to the next one: all of it at one moment, or nothing of it (SPEC 1, reload). */
import type { NewAdminPassword } from '../accounts/login/first-admin.ts';
import { renewed } from '../config/changed-keys.ts';
import type { InvalidConfig, ServiceConfig, ServiceConfigOutcome } from '../config/service-config.ts';
import { reviewStream } from '../gateway/entry/review-stream.ts';
import { createRetirement, replacedParts } from './components.ts';
import { type Edition, openEdition } from './generation.ts';
import { logRules } from './logs.ts';
import { createReloadReport } from './reload-report.ts';
import type { House } from './runtime.ts';

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
  /** For the status page: a sentence each. */
  warnings(): readonly string[];
  /** Before anything is served. */
  open(config: ServiceConfig, house: House): Promise<void>;
  /** One after another, each read when it is its turn: what holds in the end is what was written last. */
  reload(read: () => Promise<ServiceConfigOutcome>): Promise<Reloaded>;
  close(): Promise<void>;
}

export function createEditions(): Editions {
  let opened: { readonly edition: Edition; readonly house: House } | undefined;
  let queue: Promise<unknown> = Promise.resolve();
  const retirement = createRetirement();
  const report = createReloadReport();

  const now = () => {
    if (!opened) throw new Error('nothing is configured yet');
    return opened;
  };
  const reject = (config: Omit<InvalidConfig, 'kind'>): Reloaded => {
    report.rejected(config, now().house);
    return { isTaken: false, newAdminPassword: undefined, files: config.files };
  };
  /** What can fail comes first; then there is one moment in which all of it holds. */
  const take = async (config: ServiceConfig): Promise<Reloaded> => {
    const { edition: before, house } = now();
    const renewal = renewed(before.settings, config.settings);
    const next = await openEdition({ ...config, settings: renewal.settings }, house, before);
    opened = { edition: next, house };
    house.logs.setLevels(logRules(next.settings));
    house.accounts.enforce(next.accounts);
    retirement.add(replacedParts(before.parts, next.parts));
    report.taken(next, before, renewal, house);
    return { isTaken: true, newAdminPassword: await settled(next, house), files: config.files };
  };
  const renew = async (read: () => Promise<ServiceConfigOutcome>): Promise<Reloaded> => {
    let { file, files } = now().edition.config;
    try {
      const config = await read();
      ({ file, files } = config);
      return config.kind === 'invalid' ? reject(config) : await take(config);
    } catch (fault) {
      const message = fault instanceof Error ? fault.message : String(fault);
      return reject({ file, files, problems: [{ path: '', message }] });
    }
  };

  return {
    inForce: () => now().edition,
    warnings: report.warnings,
    async open(config, house) {
      const edition = await openEdition(config, house);
      opened = { edition, house };
      house.accounts.onRoles(() => now().edition.parts.events.it?.tellRoles());
      house.accounts.enforce(edition.accounts);
      report.started(edition, house);
    },
    reload(read) {
      const turn = queue.then(() => renew(read));
      queue = turn;
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

/** What follows for people who are there, and for those who are not there any more. */
async function settled({ accounts, rules }: Edition, house: House): Promise<NewAdminPassword | undefined> {
  try {
    const made = await house.accounts.settle(accounts, false);
    const judges = { rules: rules(), recheck: accounts.recheck };
    await house.openStreams.review((stream) => reviewStream(stream, judges));
    return made;
  } catch (fault) {
    house.log.error({ err: fault }, 'whom the configuration changes could not be looked up: reload it again');
    return undefined;
  }
}
