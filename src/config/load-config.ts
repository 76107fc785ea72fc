/** The configuration as `serve` uses it, or every problem with it at once (SPEC 1). */
import { join, resolve } from 'node:path';
import type { z } from 'zod';
import type { MaybePromise } from '../domain/async.ts';
import type { Clock } from '../domain/clock.ts';
import { err, ok, type Result } from '../domain/result.ts';
import type { StoredSettings } from '../domain/stored-settings.ts';
import type { SettingStore } from '../store/accounts/house.ts';
import { CONFIG_NAMES, openConfigFile, type WhenMissing } from './config-file.ts';
import { type Environment, layered, type Origin } from './layers.ts';
import { EMPTIED, wasConfigured } from './marks.ts';
import { findPlaces, type NamedFiles, nameFiles } from './named-files.ts';
import { type Finding, formatProblems, type KeyPath, type Problem, pathText } from './problems/problems.ts';
import { entriesIn, locate, MOST_ENTRIES, type Places, readYaml, TOO_MANY } from './problems/read-yaml.ts';
import { crossFindings, listWarnings } from './rules.ts';
import { meantVariable, messageFor, toFindings } from './schema/issues.ts';
import type { Keys } from './schema/keys.ts';
import type { Removed, Schema, Settings } from './schema/schema.ts';
import { fillSecrets, type SecretPlaces } from './secrets.ts';

export interface ConfigPlace {
  readonly directory: string;
  readonly env: Environment;
  /** The keys of the core and of the features. */
  readonly schema: () => MaybePromise<Schema>;
  /** What the page Security keeps in the store; undefined while the store was not read: then nothing is said of what it may give. */
  readonly stored?: StoredSettings | undefined;
  /** `write` unless told otherwise. */
  readonly whenMissing?: WhenMissing;
  /** Called for every file that is looked for. */
  readonly onFile?: (file: string) => void;
}

/** Where a command finds its configuration, and what else it works with. */
export interface CommandPlace extends Pick<ConfigPlace, 'directory' | 'env' | 'schema'> {
  readonly clock: Clock;
  /** Receives what a command could not do beside its work. Default: nothing is said. */
  readonly warn?: ((sentence: string) => void) | undefined;
  /** The allowlist file, where it is not in the interface's place (5.5.7). */
  readonly trustedHeadersFile?: string;
}

/** Names the file that a directory without a configuration begins with, in the place of the quick start's. */
const FIRST_CONFIGURATION = 'POSTERN_FIRST_CONFIG';

export interface LoadedConfig {
  readonly kind: 'loaded';
  readonly settings: Settings;
  readonly schema: Schema;
  /** Keys that have a value in the file, or the environment, as `auth.roles`. */
  readonly given: ReadonlySet<string>;
  /** What the page Security keeps in the store, as far as it was read. */
  readonly stored: StoredSettings;
  /** A key is missing that the store may give: without it the configuration is refused. */
  readonly isOwed: boolean;
  /** The file holds nothing: no key, and no `{}` either. */
  readonly isEmpty: boolean;
  /** The file as it was read. It may hold secrets. */
  readonly text: string;
  readonly namedFiles: NamedFiles;
  readonly warnings: readonly Problem[];
  readonly origins: () => Origins;
  /** Where something stands that is found out later. */
  readonly placed: (finding: Finding) => Problem;
  readonly file: string;
  /** The file is the quick start's, written just now. */
  readonly created: boolean;
}

export interface RefusedConfig {
  readonly kind: 'invalid';
  readonly problems: readonly Problem[];
  /** Warnings about what is right, as far as it can be told. */
  readonly warnings?: readonly Problem[];
  /** The settings without what is wrong; absent where too little is left. Nothing may be started with them. */
  readonly readable?: Settings | undefined;
  readonly namedFiles?: NamedFiles;
  readonly file: string;
}

export type ConfigOutcome = LoadedConfig | RefusedConfig;

/** Environment over file over store over default. */
export async function loadConfig(place: ConfigPlace): Promise<ConfigOutcome> {
  const directory = resolve(place.directory);
  const schema = await place.schema();
  const { keys, isSecret } = schema;
  const { env, stored, onFile = () => {} } = place;
  for (const name of CONFIG_NAMES) onFile(join(directory, name));
  const opened = await openConfigFile(directory, place.whenMissing ?? 'write', env[FIRST_CONFIGURATION]);
  if (!opened.ok) return { kind: 'invalid', problems: [{ path: '', message: opened.error }], file: directory };
  const { file, text, created } = opened.value;
  const yaml = readYaml(text);
  if (!yaml.ok) return { kind: 'invalid', problems: yaml.error, file };
  const isEmpty = (yaml.value.tree ?? undefined) === undefined;
  if (isEmpty && (await wasConfigured(directory))) return { kind: 'invalid', problems: [EMPTIED], file };
  const layers = layered(yaml.value.tree, env, { isSecret, meantVariable: meantVariable(keys) });
  if (entriesIn(layers.tree) > MOST_ENTRIES)
    return { kind: 'invalid', problems: [{ path: '', message: TOO_MANY }], file };
  const removed = takeRemovedKeys(layers.tree, schema);
  dropEmptyMaps(layers.tree, keys);
  const namedFiles = nameFiles(layers.tree, keys, directory);
  const below = layers.setBelow(stored ?? {});
  const places = { directory, environment: env, onFile };
  const origins = (): Origins => ({ places: yaml.value.places, settings: layers.origins() });
  const placed = placedBy(origins);
  const settings = await settingsFrom(layers.tree, schema, places, stored !== undefined);
  const findings = [...removed, ...(settings.ok ? [] : settings.error.findings)];
  const readable = settings.ok ? settings.value : settings.error.readable;
  const warnings = someOf(readable ? listWarnings(readable, schema) : []).map(placed);
  const problems = [...layers.problems, ...someOf(findings).map(placed)].sort(byPosition);
  if (!settings.ok || problems.length > 0) return { kind: 'invalid', problems, warnings, readable, namedFiles, file };
  const given = givenKeys(layers.tree).difference(new Set(below));
  const isOwed = stored === undefined && crossFindings(layers.tree, true, schema).length > 0;
  const read = { settings: settings.value, schema, given, stored: stored ?? {}, isOwed, isEmpty, text, namedFiles };
  return { kind: 'loaded', ...read, warnings, origins, placed, file, created };
}

/** The configuration with what its store keeps: read again where that counts. Rejects with every problem. */
export async function underStored<Config extends Pick<LoadedConfig, 'kind' | 'isOwed'>>(
  config: Config,
  store: Pick<SettingStore, 'readSettings'>,
  readUnder: (
    stored: StoredSettings,
  ) => Promise<
    NoInfer<Config> | { readonly kind: 'invalid'; readonly problems: readonly Problem[]; readonly file: string }
  >,
): Promise<Config> {
  const stored = await store.readSettings();
  if (Object.keys(stored).length === 0 && !config.isOwed) return config;
  const read = await readUnder(stored);
  if (read.kind === 'invalid') throw new Error(formatProblems(read.file, read.problems));
  return read;
}

function givenKeys(tree: unknown): ReadonlySet<string> {
  const keys = keysBelow(tree).flatMap(([section, values]) => keysBelow(values).map(([key]) => `${section}.${key}`));
  const ofRoles = keysBelow(Object(Object(tree).auth).roles).flatMap(([role, limits]) =>
    keysBelow(limits).map(([key]) => `auth.roles.${role}.${key}`),
  );
  const hasAlias = Object(Object(Object(tree).proxy).header_map).role_map !== undefined;
  return new Set([...keys, ...ofRoles, ...(hasAlias ? ['proxy.role_map'] : [])]);
}

/** Each is looked for in the file. */
const MOST_PROBLEMS = 100;

const someOf = (findings: readonly Finding[]): readonly Finding[] =>
  findings.length <= MOST_PROBLEMS
    ? findings
    : [
        ...findings.slice(0, MOST_PROBLEMS),
        { path: [], message: `${findings.length - MOST_PROBLEMS} more problems are not listed: correct these first` },
      ];

const keysBelow = (tree: unknown): readonly (readonly [string, unknown])[] => Object.entries(Object(tree));

/** `tree` is a value of our own: secrets are written into it. */
async function settingsFrom(
  tree: unknown,
  schema: Schema,
  places: SecretPlaces,
  isWhole: boolean,
): Promise<Result<Settings, RejectedSettings>> {
  const findings = [
    ...lostKeys(tree),
    ...(await fillSecrets(tree, schema.keys, places)),
    ...crossFindings(tree, isWhole, schema),
  ];
  const parsed = schema.read.safeParse(tree, { error: messageFor(schema.isSecret), reportInput: false });
  const absolute = (settings: Settings): Settings => withAbsolutePaths(settings, places.directory);
  if (parsed.success && findings.length === 0) return ok(absolute(parsed.data));
  if (parsed.success) return err({ findings, readable: absolute(parsed.data) });
  const { issues } = parsed.error;
  const readable = partialSettings(tree, schema, issues);
  return err({
    findings: [...findings, ...toFindings(issues, schema.keys)],
    readable: readable && absolute(readable),
  });
}

interface RejectedSettings {
  readonly findings: readonly Finding[];
  /** The settings without what is wrong. */
  readonly readable: Settings | undefined;
}

/** Undefined when too little is left. For warnings alone: nothing may be started with it. */
export function partialSettings(
  tree: unknown,
  schema: Schema,
  issues: readonly z.core.$ZodIssue[],
): Settings | undefined {
  const rest = structuredClone(tree);
  for (const issue of issues) {
    const paths = issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
    for (const path of paths) takeOut(rest, withoutEntries(path));
  }
  const parsed = schema.read.safeParse(rest);
  return parsed.success ? parsed.data : undefined;
}

/** An entry of a list goes with the whole list: the places of the others would move. */
const withoutEntries = (path: KeyPath): KeyPath => {
  const list = path.findIndex((step) => typeof step === 'number');
  return list < 0 ? path : path.slice(0, list);
};

/** `auth:` with nothing below it is an empty map, as is a section whose keys are all commented out. */
function dropEmptyMaps(tree: unknown, keys: Keys): void {
  for (const [place, { form, default: value }] of keys)
    if (!place.includes('*') && (form === 'map' || (form === 'section' && value !== undefined)))
      for (const { section, key } of findPlaces(tree, place)) if (section[key] === null) delete section[key];
}

/** zod drops a key of this name in a map without an issue, so a role would silently be missing. */
function lostKeys(tree: unknown, above: readonly PropertyKey[] = []): readonly Finding[] {
  if (typeof tree !== 'object' || tree === null) return [];
  return Object.entries(tree).flatMap(([key, value]) => {
    const path = [...above, key];
    return key === '__proto__'
      ? [{ path, message: 'cannot be used as a name: choose another' }]
      : lostKeys(value, path);
  });
}

/** What the schema does not mark as the name of a file: defaults, a route table, the address of the store. */
function withAbsolutePaths(settings: Settings, directory: string): Settings {
  const absolute = (file: string): string => resolve(directory, file);
  const { tls, nvr, store } = settings;
  return {
    ...settings,
    tls: { ...tls, certificate: absolute(tls.certificate), private_key: absolute(tls.private_key) },
    nvr: { ...nvr, policy: /\/|\.ya?ml$/.test(nvr.policy) ? absolute(nvr.policy) : nvr.policy },
    store: {
      ...store,
      url: store.url.engine === 'sqlite' ? { ...store.url, file: absolute(store.url.file) } : store.url,
    },
  };
}

/** What the values of a configuration come from. Plain data, which a thread can hand on. */
export interface Origins {
  readonly places: Places;
  /** What the file did not set. */
  readonly settings: readonly Origin[];
}

export const placedBy =
  (origins: () => Origins) =>
  ({ path, message }: Finding): Problem => {
    const { places, settings } = origins();
    const source = settings.findLast((setting) => setting.path.every((step, at) => path[at] === step))?.source;
    const what = message.startsWith('unknown key') ? 'key' : 'value';
    const position = source === undefined ? locate(places, path, what) : undefined;
    return { path: pathText(path), message, ...position, ...(source === undefined ? {} : { source }) };
  };

const byPosition = (left: Problem, right: Problem): number =>
  (left.line ?? Number.POSITIVE_INFINITY) - (right.line ?? Number.POSITIVE_INFINITY) ||
  (left.column ?? 0) - (right.column ?? 0) ||
  left.path.localeCompare(right.path);

/** Those of the core. */
// biome-ignore format: a table
const REMOVED: Removed = {
  canary: '"postern policy diff" names operations of the NVR that the route table does not know',
  'nvr.identity_jwt': 'no NVR verified it; nvr.auth_secret tells an NVR that a request came through Postern',
  'server.console_url':
    'for a console that the pages of the NVR cannot reach, run a second Postern without nvr.url on the same store, at another host name: SECURITY.md',
  'server.timeout_headers': 'the head of a request may take 15 seconds',
  'server.timeout_login_body': 'the body of a login may take 10 seconds',
  'auth.cookie_same_site': 'it follows from ui.frame_ancestors: name there the site that shows the pages in a frame',
  'nvr.user_header': 'the NVR gets remote-user',
  'nvr.role_header': 'the NVR gets remote-role, and with nvr.auth_secret remote-groups as well',
  'nvr.warn_open_ports': 'the start always looks; publish no port of the NVR where other machines are',
  'auth.guest_keep': 'the account of a guest is deleted 30 days after its end',
  'nvr.timeout_connect': 'connecting to the NVR may take 5 seconds',
  'proxy.jwt.grace': 'keys that cannot be read any more are used for an hour',
  'events.max_limit': 'a response holds at most 10,000 events',
  'logger.audit_file': 'audit lines are log lines (service.audit), and fail2ban reads the journal or the container log: deploy/fail2ban',
};

/** Takes them out of the tree; gives a finding for each that was there. */
function takeRemovedKeys(tree: unknown, { removed }: Schema): readonly Finding[] {
  return Object.entries({ ...REMOVED, ...removed }).flatMap(([key, instead]) => {
    const path = key.split('.');
    return takeOut(tree, path) ? [{ path, message: `was removed: ${instead}; remove the key` }] : [];
  });
}

function takeOut(tree: unknown, path: KeyPath): boolean {
  const last = path.at(-1);
  const node = path.slice(0, -1).reduce<unknown>((above, step) => Object(above)[step], tree);
  if (last === undefined || typeof node !== 'object' || node === null || !Object.hasOwn(node, last)) return false;
  delete (node as Record<PropertyKey, unknown>)[last];
  return true;
}
