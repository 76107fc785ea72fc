import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { problemsOf } from './config-place.ts';

type Row = readonly [sentence: string, yaml: string, ...problems: string[]];

function tell(subject: string, rows: readonly Row[]): void {
  describe(subject, () => {
    for (const [sentence, yaml, ...problems] of rows) {
      it(sentence, async () => assert.deepEqual(await problemsOf(yaml), problems));
    }
  });
}

// biome-ignore format: a table
tell('A key that is not known', [
  ['is named with the one that was meant', 'auth:\n  sesion_length: 5\n', 'config.yaml:2:3 auth.sesion_length: unknown key: did you mean session_length?'],
  ['is found in another section', 'session_length: 5\n', 'config.yaml:1:1 session_length: unknown key: did you mean auth.session_length?'],
  ['is named alone when nothing is near', 'auth: {frobnicate: 5}\n', 'config.yaml:1:8 auth.frobnicate: unknown key: remove it'],
  ['may be a section', 'serverr: {}\n', 'config.yaml:1:1 serverr: unknown key: did you mean server?'],
  ['may be deep', 'proxy: {header_map: {usr: X}}\n', 'config.yaml:1:22 proxy.header_map.usr: unknown key: did you mean user?'],
]);

// biome-ignore format: a table
tell('A value of the wrong kind', [
  ['is not a boolean', 'auth: {enabled: maybe}', 'config.yaml:1:17 auth.enabled: "maybe" is not true or false'],
  ['is not a number', 'auth: {session_length: a day}', 'config.yaml:1:24 auth.session_length: "a day" is not a duration: write for example 90, 15m, 1h or 7d'],
  ['is not a whole number', 'auth: {session_length: 1.5}', 'config.yaml:1:24 auth.session_length: 1.5 is not a whole number: write for example 30'],
  ['is too small', 'auth: {session_length: -1}', 'config.yaml:1:24 auth.session_length: -1 is too small: the least is 0'],
  ['is too small for a timeout', 'nvr: {timeout_response: 0}', 'config.yaml:1:25 nvr.timeout_response: 0 is too small: write more than 0'],
  ['is more than a timer can hold', 'nvr: {timeout_idle: 2147484}', 'config.yaml:1:21 nvr.timeout_idle: 2147484 is too large: the most is 2147483'],
  ['is not text', 'auth: {cookie_name: 5}', 'config.yaml:1:21 auth.cookie_name: 5 is not text: put it in quotes'],
  ['is not a list', 'auth: {trusted_proxies: 10.0.0.0/8}', 'config.yaml:1:25 auth.trusted_proxies: "10.0.0.0/8" is not a list: write [one, two]'],
  ['is not a map', 'server: 5', 'config.yaml:1:9 server: 5 is not a map: write its keys below it, indented'],
  ['is a list where a map belongs', '[1, 2]', 'config.yaml: a list is not a map: write its keys below it, indented'],
  ['is empty', 'auth: {cookie_name: }', 'config.yaml:1:8 auth.cookie_name: is empty: give it a value, or remove the key'],
  ['is none of the words', 'auth: {reauthenticate: strickt}', 'config.yaml:1:24 auth.reauthenticate: "strickt" is not one of credentials, strict: did you mean strict?'],
]);

// biome-ignore format: a table
tell('A value of auth', [
  ['is no CIDR', 'auth:\n  trusted_proxies:\n    - 10.0.0.0/8\n    - 10.0.0.0/33', 'config.yaml:4:7 auth.trusted_proxies[1]: "10.0.0.0/33" is not a CIDR: write for example 172.18.0.0/16'],
  ['is no rate limit', 'auth: {failed_login_rate_limit: 5/min}', 'config.yaml:1:33 auth.failed_login_rate_limit: "5/min" is not a rate limit: write <count>/<unit> such as 5/minute;20/hour (second, minute, hour, day, month, year), or null for no limit'],
  ['is a reserved role name', 'auth: {roles: {viewer: [a]}}', 'config.yaml:1:16 auth.roles.viewer: "viewer" is a reserved role name: choose another'],
  ['is no role name', 'auth: {roles: {a-b: [a]}}', 'config.yaml:1:16 auth.roles["a-b"]: "a-b" is not a role name: use letters, digits, dots and underscores'],
  ['is a role name that would get lost', 'auth: {roles: {__proto__: [a]}}', 'config.yaml:1:16 auth.roles.__proto__: cannot be used as a name: choose another'],
  ['is a role without cameras', 'auth: {roles: {a: []}}', 'config.yaml:1:16 auth.roles.a: [] is empty: give it a value, or remove the key'],
  ['is longer than any camera', `auth: {roles: {a: [${'a'.repeat(97)}]}}`, `config.yaml:1:20 auth.roles.a[0]: "${'a'.repeat(20)}…" is longer than 96 letters: shorten it with "*"`],
  ['has five stars', 'auth: {roles: {a: ["*b*b*b*b*"]}}', 'config.yaml:1:20 auth.roles.a[0]: "*b*b*b*b*" has more than 4 "*"'],
  ['has too many patterns', `auth: {roles: {a: {cameras: [${Array.from({ length: 65 }, (_, index) => `b*${index}`)}]}}}`, 'config.yaml:1:20 auth.roles.a.cameras: has more than 64 entries with "*": name cameras, or use fewer patterns'],
  ['asks for every camera by a word', 'auth: {roles: {a: [All]}}', 'config.yaml:1:20 auth.roles.a[0]: "All" is not a camera name: use no comma, and slashes between other letters only; "*" stands for any text'],
  ['is a role as a map without cameras', 'auth: {roles: {a: {cameras: []}}}', 'config.yaml:1:20 auth.roles.a.cameras: [] is empty: give it a value, or remove the key'],
  ['denies an unknown verb', 'auth: {roles: {a: {cameras: [b], deny: [fly]}}}', 'config.yaml:1:41 auth.roles.a.deny[0]: "fly" is not one of live, history, export, ptz, talk'],
  ['has an unknown key in a role', 'auth: {roles: {a: {cameras: [b], denied: [ptz]}}}', 'config.yaml:1:34 auth.roles.a.denied: unknown key: remove it'],
  ['is a role of a single camera', 'auth: {roles: {a: garden}}', 'config.yaml:1:19 auth.roles.a: is not a list of cameras: write [garden, patio], or a map of cameras, deny, hours and history_since'],
  ['has hours that are none', 'auth: {roles: {a: {cameras: [b], hours: ["Mon 7-18"]}}}', 'config.yaml:1:34 auth.roles.a.hours: "Mon 7-18" is not days with a span of hours: write for example "Mon-Fri 07:00-18:00", "Sat,Sun 09:00-12:00" or "Fri 22:00-02:00"'],
  ['sees back to no known time', 'auth: {roles: {a: {cameras: [b], history_since: 7 days}}}', 'config.yaml:1:49 auth.roles.a.history_since: "7 days" does not say how far back the role sees: write grant (nothing older than the account), or a duration such as 12h, 7d or 4w'],
  ['is in no time zone', 'auth: {timezone: Berlin}', 'config.yaml:1:18 auth.timezone: "Berlin" is not a time zone: write an IANA name such as Europe/Berlin or America/New_York'],
  ['is no cookie name', 'auth: {cookie_name: 1a}', 'config.yaml:1:21 auth.cookie_name: "1a" is not a cookie name: use letters, digits, "_" and "-", and no digit or "-" at the start'],
  ['is neither auto nor a boolean', 'auth: {cookie_secure: sometimes}', 'config.yaml:1:23 auth.cookie_secure: "sometimes" is not one of auto, true, false'],
]);

// biome-ignore format: a table
tell('A value of proxy', [
  ['is a default role that is not defined', 'auth: {roles: {gardener: [a]}}\nproxy: {default_role: gardner}', 'config.yaml:2:23 proxy.default_role: "gardner" is not a role: did you mean gardener?'],
  ['is a default role like none', 'proxy: {default_role: nobody_at_all}', 'config.yaml:1:23 proxy.default_role: "nobody_at_all" is not a role: write one of admin, viewer, none'],
  ['is more than one separator', 'proxy: {separator: ", "}', 'config.yaml:1:20 proxy.separator: ", " is not one character: write for example ","'],
  ['is no separator at all', 'proxy: {separator: ""}', 'config.yaml:1:20 proxy.separator: "" is not one character: write for example ","'],
  ['is no header name', 'proxy: {header_map: {user: X_User}}', 'config.yaml:1:28 proxy.header_map.user: "X_User" is not a header name: use letters, digits and hyphens'],
  ['is a second role map that differs', 'proxy:\n  header_map:\n    role_map: {viewer: [a]}\n  role_map: {viewer: [b]}', 'config.yaml:3:5 proxy.header_map.role_map: proxy.role_map is given too, with other content: remove one of the two'],
  ['is a script in the logout link', 'proxy: {logout_url: "javascript:alert(1)"}', 'config.yaml:1:21 proxy.logout_url: "javascript:alert(1)" is not a target for a link: write https://… or a path such as /logged-out'],
  ['is a logout link to a host in disguise', 'proxy: {logout_url: //evil.example}', 'config.yaml:1:21 proxy.logout_url: "//evil.example" is not a target for a link: write https://… or a path such as /logged-out'],
]);

const PUBLIC = 'write for example https://nvr.example.com or https://example.com/nvr';
const NO_UPSTREAM =
  'is not the address of a server: write http://host:port, https://host:port or unix:/path, nothing behind it';
// biome-ignore format: a table
tell('A value of server, nvr, events, store, logger or ui', [
  ['is no listener', 'server: {external: "8971"}', 'config.yaml:1:20 server.external: "8971" is not host:port: write for example 127.0.0.1:8971'],
  ['is a port alone', 'server: {external: 8971}', 'config.yaml:1:20 server.external: "8971" is not host:port: write for example 127.0.0.1:8971'],
  ['is no listener nor off', 'server: {internal: true}', 'config.yaml:1:20 server.internal: true is not host:port or false: write for example 127.0.0.1:5000'],
  ['is no host name', 'server: {internal_hosts: ["nvr:5000"]}', 'config.yaml:1:27 server.internal_hosts[0]: "nvr:5000" is not a host name: write it without port or path'],
  ['is no plain prefix', 'server: {base_path: /a/../b}', 'config.yaml:1:21 server.base_path: "/a/../b" is not a plain path: write for example /postern, without dot segments or escapes'],
  ['is a public address without TLS', 'server: {public_url: "http://nvr.lan"}', 'config.yaml:1:22 server.public_url: "http://nvr.lan" is not encrypted: write https://; http:// is for localhost only'],
  ['is a public address that only looks like this machine', 'server: {public_url: "http://127.0.0.1.evil.example"}', 'config.yaml:1:22 server.public_url: "http://127.0.0.1.evil.example" is not encrypted: write https://; http:// is for localhost only'],
  ['is a public address without a scheme', 'server: {public_url: nvr.example.com}', `config.yaml:1:22 server.public_url: "nvr.example.com" is not the address of a site: ${PUBLIC}`],
  ['is a public address with a query', 'server: {public_url: "https://a.example/?b"}', `config.yaml:1:22 server.public_url: "https://a.example/?b" is not the address of a site: ${PUBLIC}`],
  ['is a public address of every host', 'server: {public_url: "https://*.example.com"}', `config.yaml:1:22 server.public_url: "https://*.example.com" has no host name: ${PUBLIC}`],
  ['is a public address with a password, which is not shown', 'server: {public_url: "https://u:hunter2@a.example"}', `config.yaml:1:22 server.public_url: has a user name or password in it: ${PUBLIC}`],
  ['is a public address with dot segments', 'server: {public_url: "https://a.example/b/../c"}', 'config.yaml:1:22 server.public_url: "/b/../c" is not a plain path: write for example /postern, without dot segments or escapes'],
  ['is a public address with a path that is no base path', 'server: {public_url: "https://a.example/nvr"}', 'config.yaml:1:22 server.public_url: has the path /nvr, and server.base_path is not set: set server.base_path to /nvr, or write https://a.example'],
  ['is a public address without the base path', 'server: {public_url: "https://a.example", base_path: /nvr}', 'config.yaml:1:22 server.public_url: has another path than server.base_path: write https://a.example/nvr'],
  ['has a path behind the host', 'nvr: {url: "http://nvr:5000/api"}', `config.yaml:1:12 nvr.url: ${NO_UPSTREAM}`],
  ['holds a password, which is not shown', 'nvr: {url: "http://u:hunter2@nvr:5000"}', 'config.yaml:1:12 nvr.url: has a user name or password in it: use nvr.auth_secret instead'],
  ['is another scheme', 'nvr: {routes: {/live: "ftp://a"}}', `config.yaml:1:23 nvr.routes["/live"]: ${NO_UPSTREAM}`],
  ['is no server to be stripped for', 'nvr: {routes: {/live: {url: "ftp://a", strip: true}}}', `config.yaml:1:29 nvr.routes["/live"].url: ${NO_UPSTREAM}`],
  ['has no server to be stripped for', 'nvr: {routes: {/live: {strip: true}}}', 'config.yaml nvr.routes["/live"].url: is missing: write it'],
  ['is stripped by another word', 'nvr: {routes: {/live: {url: "http://a", strip: 1}}}', 'config.yaml:1:48 nvr.routes["/live"].strip: 1 is not true or false'],
  ['is stripped by another key', 'nvr: {routes: {/live: {url: "http://a", stripp: true}}}', 'config.yaml:1:41 nvr.routes["/live"].stripp: unknown key: did you mean strip?'],
  ['is no server at all', 'nvr: {routes: {/live: 5}}', `config.yaml:1:23 nvr.routes["/live"]: ${NO_UPSTREAM}`],
  ['holds a password to be stripped for, which is not shown', 'nvr: {routes: {/live: {url: "http://u:hunter2@a"}}}', 'config.yaml:1:29 nvr.routes["/live"].url: has a user name or password in it: use nvr.auth_secret instead'],
  ['is one prefix in two spellings', 'nvr: {routes: {/live: "http://a", /live/: "http://b"}}', 'config.yaml:1:43 nvr.routes["/live/"]: "/live/" and "/live" are one prefix: remove one of the two'],
  ['is no path prefix', 'nvr: {routes: {live: "http://a"}}', 'config.yaml:1:22 nvr.routes.live: "live" is not a plain path: write for example /postern, without dot segments or escapes'],
  ['is a size without unit', 'nvr: {max_upload: 20}', 'config.yaml:1:19 nvr.max_upload: "20" is not a size: write for example 20MB (B, KB, MB, GB, KiB, MiB, GiB)'],
  ['is no camera name', 'nvr: {cameras: ["a,b"]}', 'config.yaml:1:17 nvr.cameras[0]: "a,b" is not a camera name: use no comma or "*", slashes between other letters only, and not "all"'],
  ['needs an NVR', 'events: {source: nvr}\nui: {login: nvr}', 'config.yaml:1:18 events.source: "nvr" needs an NVR: set nvr.url', 'config.yaml:2:13 ui.login: "nvr" needs an NVR: set nvr.url'],
  ['deletes events after days that were meant', 'events: {retention: 30}', 'config.yaml:1:21 events.retention: 30 is not a number of seconds from 86400 (a day) on, or null: 30 days are 2592000'],
  ['deletes events never by an end that is none', 'events: {retention: never}', 'config.yaml:1:21 events.retention: "never" is not a number of seconds from 86400 (a day) on, or null: 30 days are 2592000'],
  ['names no file to read', 'events: {source: nvr-database}', "config.yaml:1:18 events.source: nvr-database needs the NVR's own SQLite file: set events.nvr_database"],
  ['is a server without a database, whose password is not shown', 'store: {url: "postgres://u:hunter2@db"}', 'config.yaml:1:14 store.url: names no database: write postgres://<user>:<password>@<host>/<database>'],
  ['is several servers, with ports too', 'store: {url: "postgres://u:hunter2@a:5433,b/db"}', 'config.yaml:1:14 store.url: names several hosts: give one, the virtual address or pooler that leads to the server that takes writes'],
  ['is several servers for LISTEN', 'store: {url: "postgres://u@a/db", listen_url: "postgres://u@a,b/db"}', 'config.yaml:1:47 store.listen_url: names several hosts: give one, the virtual address or pooler that leads to the server that takes writes'],
  ['is an unknown sslmode', 'store: {url: "postgres://u@a/db?sslmode=verify"}', 'config.yaml:1:14 store.url: sslmode must be one of disable, no-verify, prefer, require, verify-ca, verify-full: verify-full with sslrootcert=<CA file> checks the server'],
  ['is no store', 'store: {url: postern.db}', 'config.yaml:1:14 store.url: is not the address of a store: write sqlite:<file> or postgres://<user>:<password>@<host>/<database>'],
  ['keeps the ledger for less than a day', 'ledger: {retention: 1h}', 'config.yaml:1:21 ledger.retention: is too short: write at least 86400 seconds, or 0'],
  ['is no level', 'logger: {logs: {service.api.auth: debugg}}', 'config.yaml:1:35 logger.logs["service.api.auth"]: "debugg" is not one of trace, debug, info, warning, warn, error, critical, fatal: did you mean debug?'],
  ['would end the policy of the pages', 'ui: {frame_ancestors: "self; script-src *"}', 'config.yaml:1:23 ui.frame_ancestors: "self;" is not a frame source: write self, none or origins such as https://home.example.com'],
]);

// biome-ignore format: a table
tell('Text that is no YAML', [
  ['is told with its line', 'auth:\n  roles: [a\nnvr: {}\n', 'config.yaml:3:1: not valid YAML: Flow sequence in block collection must be sufficiently indented and end with a ]'],
  ['may be a key given twice', 'auth: {}\nauth: {}\n', 'config.yaml:2:1: not valid YAML: Map keys must be unique'],
  ['may be a tab', 'auth:\n\tenabled: true', 'config.yaml:2:1: not valid YAML: Tabs are not allowed as indentation'],
  ['may be a second document', 'auth: {}\n---\nnvr: {}\n', 'config.yaml:2:1: not valid YAML: Source contains multiple documents; please use YAML.parseAllDocuments()'],
  ['may be a tag of another product', 'proxy: {auth_secret: !secret nvr}', 'config.yaml:1:22: not valid YAML: Unresolved tag'],
  ['may be a map in the place of a key', 'auth:\n  {a: b}: c\n', 'config.yaml:2:3: not valid here: a list or a map stands in the place of a key; put quotes around a key that begins with [ or {'],
  ['may be an alias in the place of a key', 'nvr: &a [x]\nauth: {*a : c}\n', 'config.yaml:2:8: not valid here: a list or a map stands in the place of a key; put quotes around a key that begins with [ or {'],
  ['may be an alias of nothing', 'auth: *nothing', 'config.yaml: not valid YAML: Unresolved alias (the anchor must be set before the alias)'],
  ['may be an anchor around its alias', 'auth: &a {roles: *a}', 'config.yaml: not valid YAML here: an anchor holds an alias of itself'],
]);

// biome-ignore format: a table
tell('Several problems', [
  ['are told at once, in order of lines', 'proxy:\n  default_role: adm1n\nauth:\n  enabled: 1\n  rols: {}\nserver: []\n',
    'config.yaml:2:17 proxy.default_role: "adm1n" is not a role: did you mean admin?',
    'config.yaml:4:12 auth.enabled: 1 is not true or false',
    'config.yaml:5:3 auth.rols: unknown key: did you mean roles?',
    'config.yaml:6:1 server: [] is not a map: write its keys below it, indented'],
]);
