/** Starts Postern with the options of the add-on: they become variables of its environment, and root becomes an unprivileged user. */
import { chownSync, mkdirSync, readFileSync } from 'node:fs';

export interface AddOnOptions {
  readonly nvr_url: string;
  /** Names of Home Assistant users. */
  readonly admins: readonly string[];
  readonly roles: readonly { readonly name: string; readonly cameras: readonly string[]; readonly users: readonly string[] }[];
  readonly default_role: string;
  readonly log_level: string;
  /** More keys of the configuration, such as `links.max_lifetime`. */
  readonly keys: readonly { readonly key: string; readonly value: string }[];
}

/** The address of the Supervisor's ingress on the network of add-ons. */
const SUPERVISOR = '172.30.32.2';
const USER_HEADER = 'X-Remote-User-Name';

/** The Supervisor names users and no groups, so each user is a group of one. */
export function environmentOf(options: AddOnOptions): Readonly<Record<string, string>> {
  const { nvr_url, admins, roles, default_role, log_level, keys } = options;
  const mapped = Object.fromEntries(roles.map(({ name, users }) => [name, users]));
  return {
    POSTERN__NVR__URL: nvr_url,
    POSTERN__AUTH__ROLES: JSON.stringify(Object.fromEntries(roles.map(({ name, cameras }) => [name, cameras]))),
    POSTERN__PROXY__ROLE_MAP: JSON.stringify({ ...mapped, admin: admins }),
    POSTERN__PROXY__DEFAULT_ROLE: default_role,
    POSTERN__LOGGER__DEFAULT: log_level,
    ...Object.fromEntries(keys.map(({ key, value }) => [variableOf(key), value])),
    // What ingress rests on cannot be set otherwise.
    POSTERN__AUTH__ENABLED: 'false',
    POSTERN__AUTH__TRUSTED_PROXIES: JSON.stringify([SUPERVISOR]),
    POSTERN__PROXY__HEADER_MAP__USER: USER_HEADER,
    POSTERN__PROXY__HEADER_MAP__ROLE: USER_HEADER,
    POSTERN__SERVER__INTERNAL: 'false',
    POSTERN__TLS__ENABLED: 'false',
  };
}

const variableOf = (key: string): string => `POSTERN__${key.toUpperCase().replaceAll('.', '__')}`;

if (import.meta.main) {
  Object.assign(process.env, environmentOf(JSON.parse(readFileSync('/data/options.json', 'utf8'))));
  // The user "node" of the image.
  const [user, group] = [1000, 1000];
  const directory = process.env['POSTERN_CONFIG_DIR'] ?? '/data/postern';
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  chownSync(directory, user, group);
  process.setgroups?.([]);
  process.setgid?.(group);
  process.setuid?.(user);
  const program = '/app/bundle/main.js';
  await import(program);
}
