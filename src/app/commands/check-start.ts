/** What a start would end with although the configuration is right: its files, the store, the signing secret, addresses (SPEC 1, `check`). */
import { X509Certificate } from 'node:crypto';
import { constants } from 'node:fs';
import { access, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findSigningSecret, presentSigningSecret } from '../../accounts/sessions/signing-secret.ts';
import { makeClaim, openKnownStore } from '../../accounts/sites/own-store.ts';
import { otherSecret, sitesOfOtherSecret, siteWarnings } from '../../accounts/sites/sites.ts';
import { rememberedStore } from '../../config/marks.ts';
import { about, type Finding, formatProblem, type KeyPath } from '../../config/problems/problems.ts';
import type { Settings } from '../../config/schema/schema.ts';
import { storeAddress } from '../../config/schema/store-schema.ts';
import type { ServiceConfig } from '../../config/service-config.ts';
import { faultMessage } from '../../domain/result.ts';
import { readPair } from '../../gateway/certificates/certificates.ts';
import { readAuthority } from '../../gateway/forward/nvr-questions.ts';
import { assertBindable } from '../../gateway/listen/listeners.ts';
import { openNvrDatabase } from '../../store/nvr-database.ts';
import { openStore, pendingMigration, unreachableFault } from '../../store/open-store.ts';
import { isBlank } from '../../store/sqlite/sqlite-faults.ts';
import { openStoreReadOnly } from './read-only.ts';

export interface StartPlace {
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether a server answers for this configuration: its addresses are taken by itself. */
  readonly isRunning: (settings: Settings) => Promise<boolean>;
}

/** Sentences. */
export interface StartFindings {
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/** Makes and changes nothing. */
export async function startFindings(config: ServiceConfig, place: StartPlace): Promise<StartFindings> {
  const { settings } = config;
  const { tls, nvr, auth, events } = settings;
  const url = storeAddress(settings.store.url);
  const away = settings.store.url.engine === 'postgres' ? await unreachableFault(url) : undefined;
  const looks: readonly (readonly [path: KeyPath, look: () => Promise<unknown>])[] = [
    [['tls', 'certificate'], () => certificateIsGood(tls)],
    [['nvr', 'ca'], async () => nvr.ca !== undefined && readAuthority(nvr.ca)],
    ...auth.oidc.map(
      ({ ca }, at) => [['auth', 'oidc', at, 'ca'], async () => ca !== undefined && readAuthority(ca)] as const,
    ),
    [['events', 'nvr_database'], () => nvrDatabaseOpens(events)],
    [[], () => secretIsGood(place)],
    [['store', 'url'], async () => away ?? storeOpens(settings, place.directory)],
    [['server', 'site'], async () => away ?? siteIsFree(settings, place.directory)],
    ...(await addressesToTry(settings, place)).map(
      ({ name, at }) => [['server', name], () => assertBindable(at)] as const,
    ),
  ];
  const problems: Finding[] = [];
  for (const [path, look] of looks)
    await look().catch((fault: unknown) => problems.push({ path: [...path], message: faultMessage(fault) }));
  const waits = away && `${away.message}; a start answers 503 until it can be reached`;
  const said = (finding: Finding): string => formatProblem(config.file, config.placed(finding));
  const sites = await siteFindings(settings, place);
  return {
    problems: [...problems, ...sites.problems].map(said),
    warnings: [
      ...(await certificateWarning(settings, Date.now())).map(said),
      ...sites.warnings,
      ...about(['store', 'url'], waits).map(said),
    ],
  };
}

/** What the store shows where several sites share it: another secret, and what the start warns of (SPEC 20). */
async function siteFindings(
  settings: Settings,
  { directory, env }: StartPlace,
): Promise<{ readonly problems: readonly Finding[]; readonly warnings: readonly string[] }> {
  const own = settings.server.site;
  if (own === undefined) return { problems: [], warnings: [] };
  try {
    const store = await openStoreReadOnly(settings);
    if (!store) return { problems: [], warnings: [] }; // before the first start
    await using opened = new AsyncDisposableStack();
    opened.defer(store.close);
    const secret = await findSigningSecret({ environment: env, configDirectory: directory }, 'refuse');
    const others = secret.ok ? sitesOfOtherSecret(await store.sites.listSites(), own, secret.value.keyId) : [];
    return {
      problems: about(['server', 'site'], others.length > 0 && otherSecret(others)),
      warnings: await siteWarnings(settings, store, settings.nvr.cameras),
    };
  } catch (fault) {
    return {
      problems: [],
      warnings: [`the sites were not compared, the store cannot be read: ${faultMessage(fault)}`],
    };
  }
}

const SOON_MS = 14 * 86_400_000;

/** A certificate that has ended, or soon will. Empty where there is none yet: the first start makes one. `now`: milliseconds. */
export async function certificateWarning({ tls }: Pick<Settings, 'tls'>, now: number): Promise<readonly Finding[]> {
  const pem = tls.enabled ? await readFile(tls.certificate, 'utf8').catch(() => undefined) : undefined;
  const end = pem === undefined ? undefined : certificateEnd(pem);
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

function certificateEnd(pem: string): Date | undefined {
  try {
    return new X509Certificate(pem).validToDate;
  } catch {
    return undefined;
  }
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

async function secretIsGood({ directory, env }: StartPlace): Promise<void> {
  const places = { environment: env, configDirectory: directory };
  const secret = await presentSigningSecret(places);
  if (!secret.ok) throw new Error(secret.error);
  if (!secret.value) await canWrite(join(directory, '.jwt_secret'));
}

/** The store as a start finds it, for a moment. */
const lookAt = ({ store, server }: Settings) => ({
  url: storeAddress(store.url),
  listenUrl: store.listen_url,
  site: server.site,
  readOnly: true,
  isBrief: true,
});

async function storeOpens(settings: Settings, directory: string): Promise<void> {
  const { url } = settings.store;
  const options = lookAt(settings);
  if (url.engine === 'sqlite') {
    await canWrite(url.file);
    if (isBlank(url.file) && (await rememberedStore(directory)) === undefined) return; // a first start makes it
  }
  if (isBlankFile(url) || (await pendingMigration(options)) === undefined)
    await (await openKnownStore(directory, options)).close();
}

const isBlankFile = (url: Settings['store']['url']): boolean => url.engine === 'sqlite' && isBlank(url.file);

async function siteIsFree(settings: Settings, directory: string): Promise<void> {
  const {
    store: { url },
    server: { site },
  } = settings;
  const options = lookAt(settings);
  // What else is wrong with the store is said of the store.
  if (isBlankFile(url) || (await pendingMigration(options).catch(() => '')) !== undefined) return;
  const store = await openStore(options);
  const claim = await makeClaim(site, directory, store).finally(store.close);
  if (claim.kind === 'refused') throw new Error(claim.message);
}

const LISTENERS = ['external', 'internal', 'telemetry'] as const;

async function addressesToTry({ server, ...settings }: Settings, { isRunning }: StartPlace) {
  if (await isRunning({ server, ...settings })) return [];
  return LISTENERS.flatMap((name) => {
    const at = server[name];
    return at ? [{ name, at }] : [];
  });
}

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
