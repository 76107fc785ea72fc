/** `postern check`: what a start would say of the configuration and of what it names: files, the store, the signing secret, addresses (SPEC 1). */
import { X509Certificate } from 'node:crypto';
import { constants } from 'node:fs';
import { access, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Frame } from '../../accounts/http/route-commands.ts';
import { presentSigningSecret } from '../../accounts/sessions/signing-secret.ts';
import { openStoreReadOnly, tryStore } from '../../accounts/store/own-store.ts';
import type { CommandPlace, LoadedConfig } from '../../config/load-config.ts';
import { missingTlsFiles, openSecrets } from '../../config/named-files.ts';
import { about, type Finding, formatProblem, type KeyPath } from '../../config/problems/problems.ts';
import type { Settings } from '../../config/schema/schema.ts';
import { storeAddress } from '../../config/schema/store-schema.ts';
import { loadServiceConfig, type ServiceConfigOutcome } from '../../config/service-config.ts';
import { attempt, faultMessage } from '../../domain/result.ts';
import type { StoredSettings } from '../../domain/stored-settings.ts';
import { readPair } from '../../gateway/certificates/certificates.ts';
import { readAuthority } from '../../gateway/forward/nvr-questions.ts';
import { assertBindable } from '../../gateway/listen/listeners.ts';
import { checkTrustedHeaders } from '../../identity/trusted-headers.ts';
import { openNvrDatabase } from '../../store/nvr-database.ts';
import { unreachableFault } from '../../store/open-store.ts';

type CheckPlace = Pick<CommandPlace, 'directory' | 'env' | 'schema' | 'clock' | 'trustedHeadersFile'>;

/** Gives the exit code: 0 when there is no problem, else 1. Writes no file. */
export async function runCheck({
  place,
  isRunning,
  stdout,
  stderr,
}: Pick<Frame, 'place' | 'isRunning' | 'stdout' | 'stderr'>): Promise<number> {
  const { directory } = place();
  const { file, problems, warnings } = await checkedAt(place(), isRunning);
  for (const warning of warnings) stdout.write(`warning: ${warning}\n`);
  if (problems.length > 0) {
    for (const problem of problems) stderr.write(`${problem}\n`);
    stderr.write(`${file}: ${problems.length === 1 ? '1 problem' : `${problems.length} problems`}\n`);
    return 1;
  }
  const isElsewhere = dirname(file) !== resolve(directory);
  stdout.write(`${file}: no problems${isElsewhere ? `; the first start copies it into ${directory}` : ''}\n`);
  return 0;
}

/** Sentences. `isRunning`: whether a server answers for this configuration. Makes and changes nothing. */
export async function checkedAt(given: CheckPlace, isRunning: Frame['isRunning']) {
  const place = { ...given, directory: resolve(given.directory) };
  const config = await wholeConfig(given);
  const headers = await checkTrustedHeaders(place.trustedHeadersFile);
  const { file } = config;
  const listProblems = headers.ok ? [] : [headers.error];
  if (config.kind === 'invalid') {
    const problems = config.problems.map((problem) => formatProblem(file, problem));
    return { file, problems: [...problems, ...listProblems], warnings: config.warnings ?? [] };
  }
  const said = (finding: Finding): string => formatProblem(file, config.placed(finding));
  const missing = (await missingTlsFiles(config)).map((problem) => formatProblem(file, problem));
  const { settings } = config;
  const away = await storeFault(settings);
  const start = await startFindings(config, place, away, isRunning);
  const mapped = headers.ok ? headers.value(settings) : [];
  const fatal = [...mapped.filter(({ isFatal }) => isFatal), ...start.problems];
  const waits = away && `${away.message}; a start answers 503 until it can be reached`;
  return {
    file,
    problems: [...listProblems, ...missing, ...fatal.map(said)],
    warnings: [
      ...config.warnings,
      ...(await certificateWarning(settings, given.clock.now())).map(said),
      ...start.warnings,
      ...about(['store', 'url'], waits).map(said),
      ...mapped.filter(({ isFatal }) => !isFatal).map(said),
      ...(await openSecrets(settings, config.namedFiles, config.schema.keys, given.directory)).map(said),
    ],
  };
}

/** The configuration with what the page Security keeps in the store, where there is one that can be read. */
async function wholeConfig({ directory, env, schema }: CheckPlace): Promise<ServiceConfigOutcome> {
  const read = (stored?: StoredSettings) => loadServiceConfig({ directory, env, schema, whenMissing: 'read', stored });
  const config = await read();
  const settings = config.kind === 'loaded' ? config.settings : config.readable;
  const stored = settings && (await storedSettings(settings).catch(() => undefined));
  return stored ? read(stored) : config;
}

async function storedSettings(settings: Settings): Promise<StoredSettings> {
  const store = await openStoreReadOnly(settings, true);
  return store ? await store.settings.readSettings().finally(store.close) : {};
}

/** Why the server of the store cannot be reached; undefined for a store that is a file. */
const storeFault = async ({ store: { url } }: Settings): Promise<Error | undefined> =>
  url.engine === 'postgres' ? unreachableFault(storeAddress(url)) : undefined;

/** What a start would end with although the configuration is right, and warn of where others use the store, too (SPEC 20). */
async function startFindings(
  { settings, namedFiles }: Pick<LoadedConfig, 'settings' | 'namedFiles'>,
  place: CheckPlace,
  away: Error | undefined,
  isRunning: Frame['isRunning'],
) {
  const { tls, events } = settings;
  const { url } = settings.store;
  const problems: Finding[] = [];
  const warnings: string[] = [];
  const looks: readonly (readonly [path: KeyPath, look: () => Promise<unknown>])[] = [
    [['tls', 'certificate'], () => certificateIsGood(tls)],
    ...[...namedFiles].flatMap(([path, file]) =>
      path.at(-1) === 'ca' ? [[path, () => readAuthority(file)] as const] : [],
    ),
    [['events', 'nvr_database'], () => nvrDatabaseOpens(events)],
    [[], () => secretIsGood(place)],
    [
      ['store', 'url'],
      async () => {
        if (url.engine === 'sqlite') await canWrite(url.file);
        return away ?? tryStore(settings, place, { problems, warnings });
      },
    ],
    ...(await addressesToTry(settings, isRunning)).map(
      ({ name, at }) => [['server', name], async () => at && assertBindable(at)] as const,
    ),
  ];
  for (const [path, look] of looks)
    await look().catch((fault: unknown) => problems.push({ path: [...path], message: faultMessage(fault) }));
  return { problems, warnings };
}

const SOON_MS = 14 * 86_400_000;

/** A certificate that has ended, or soon will. Empty where there is none yet: the first start makes one. `now`: milliseconds. */
export async function certificateWarning({ tls }: Pick<Settings, 'tls'>, now: number): Promise<readonly Finding[]> {
  const pem = tls.enabled ? await readFile(tls.certificate, 'utf8').catch(() => undefined) : undefined;
  const end = pem === undefined ? undefined : attempt(() => new X509Certificate(pem).validToDate);
  if (end === undefined) return []; // a start ends with a certificate that cannot be read
  const day = end.toISOString().slice(0, 10);
  const isOver = end.getTime() <= now;
  return about(
    ['tls', 'certificate'],
    isOver
      ? `the certificate ended on ${day} and browsers refuse it: put a valid certificate there`
      : end.getTime() - now <= SOON_MS && `the certificate ends on ${day}: put a new certificate there before that day`,
  );
}

async function certificateIsGood({ enabled, certificate, private_key: privateKey }: Settings['tls']): Promise<void> {
  if (!enabled) return;
  const pair = await readPair({ certificate, privateKey });
  if (!pair.ok) throw new Error(pair.error);
  if (!pair.value) for (const file of [certificate, privateKey]) await canWrite(file);
}

async function nvrDatabaseOpens({ source, nvr_database: file }: Settings['events']): Promise<void> {
  if (source !== 'nvr-database' || file === undefined) return;
  await (await openNvrDatabase(file)).close();
}

async function secretIsGood({ directory, env }: CheckPlace): Promise<void> {
  const places = { environment: env, configDirectory: directory };
  const secret = await presentSigningSecret(places);
  if (!secret.ok) throw new Error(secret.error);
  if (!secret.value) await canWrite(join(directory, '.jwt_secret'));
}

const LISTENERS = ['external', 'internal', 'telemetry'] as const;

/** Its own are taken while the service runs. */
const addressesToTry = async (settings: Settings, isRunning: Frame['isRunning']) =>
  (await isRunning(settings)) ? [] : LISTENERS.flatMap((name) => ({ name, at: settings.server[name] }));

/** Rejects with a sentence when a file cannot be made or written: the nearest directory above that is there must be writable. */
async function canWrite(file: string): Promise<void> {
  for (let path = file; ; path = dirname(path)) {
    const code = await access(path, constants.W_OK).then(
      () => '',
      (fault: NodeJS.ErrnoException) => fault.code ?? 'unknown fault',
    );
    if (code === 'ENOENT' && dirname(path) !== path) continue;
    if (code !== '') throw new Error(`${path} cannot be written (${code}): make it writable for this user`);
    return;
  }
}
