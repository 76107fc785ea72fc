import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { warningsFor } from './config-place.ts';

describe('A warning is given', () => {
  const headerTrust =
    'config.yaml:1:17 auth.enabled: false, and no proof is required, so the identity headers of every client are trusted: set proxy.auth_secret, auth.trusted_proxies or proxy.trusted_peers';
  // biome-ignore format: a table
  const rows: [sentence: string, yaml: string, ...warnings: string[]][] = [
    ['for nothing in an empty configuration', ''],
    ['for a cookie without Secure beside TLS', 'auth: {cookie_secure: false}', 'config.yaml:1:23 auth.cookie_secure: false although tls.enabled is true, so the session cookie is sent over plain HTTP too: use auto'],
    ['for no such cookie without TLS', 'auth: {cookie_secure: false}\ntls: {enabled: false}'],
    ['for frames of another site without TLS', 'ui: {frame_ancestors: "https://home.example.com"}\ntls: {enabled: false}', 'config.yaml:1:23 ui.frame_ancestors: names another site, so the session cookie is sent over HTTPS alone, and tls.enabled is false: set it to true, or server.public_url to the https:// address of the proxy in front'],
    ['for no such frames behind a proxy with TLS', 'ui: {frame_ancestors: "https://home.example.com"}\ntls: {enabled: false}\nserver: {public_url: "https://nvr.example.com"}'],
    ['for no login limit', 'auth: {failed_login_rate_limit: null}', 'config.yaml:1:8 auth.failed_login_rate_limit: null, so passwords can be guessed without limit: remove the key to get the default'],
    ['for sessions over 90 days', 'auth: {session_length: 7776001}', 'config.yaml:1:24 auth.session_length: 7776001 is over 90 days, and a stolen session would stay valid as long: write fewer seconds'],
    ['for no session of 90 days', 'auth: {session_length: 7776000}'],
    ['for sessions that end at once', 'auth: {session_length: 0}', 'config.yaml:1:24 auth.session_length: 0, so a login lasts only a few seconds: write 86400 for a day'],
    ['for weaker hashes', 'auth: {hash_iterations: 599999}', 'config.yaml:1:25 auth.hash_iterations: 599999 is below 600000, so stolen hashes are guessed faster: remove the key to get the default'],
    ['for a pooler without another way to LISTEN', 'store: {url: "postgres://u:hunter2@db:6432/p"}', 'config.yaml:1:14 store.url: leads to a PgBouncer by its port or parameter, and store.listen_url is not set: changes of other replicas are not received through a transaction pooler; set store.listen_url to the server itself'],
    ['for no pooler beside another way to LISTEN', 'store: {url: "postgres://u@db:6432/p", listen_url: "postgres://u@db/p"}'],
    ['for keeping events that are not kept here', 'nvr: {url: "http://nvr"}\nevents: {retention: 86400}', "config.yaml:2:21 events.retention: has no effect, because the events are the NVR's: set how long they are kept there, or remove the key"],
    ['for keeping events that are', 'events: {retention: 86400}'],
    ['for an internal listener that other machines reach', 'server: {internal: "0.0.0.0:15000"}', 'config.yaml:1:20 server.internal: is reachable from other machines, and every caller is an admin there: write 127.0.0.1 in the place of the address, or false'],
    ['for one of all families', 'server: {internal: "[::]:5001"}', 'config.yaml:1:20 server.internal: is reachable from other machines, and every caller is an admin there: write 127.0.0.1 in the place of the address, or false'],
    ['for none on loopback, at the usual port of a container, or turned off', 'server: {internal: "127.0.0.1:15000"}'],
    ['for none at the usual port of a container', 'server: {internal: "0.0.0.0:5000"}'],
    ['for none that is off', 'server: {internal: false}'],
    ['for trusting every IPv4 address', 'auth: {trusted_proxies: [10.0.0.0/8, 0.0.0.0/0]}', 'config.yaml:1:38 auth.trusted_proxies[1]: 0.0.0.0/0 trusts every address: write the network of your proxy'],
    ['for trusting every IPv6 address', 'proxy: {trusted_peers: ["::/0"]}', 'config.yaml:1:25 proxy.trusted_peers[0]: ::/0 trusts every address: write the network of your proxy'],
    ['for trusting every IPv4 address as IPv6', 'auth: {trusted_proxies: ["::ffff:0:0/96"]}', 'config.yaml:1:26 auth.trusted_proxies[0]: ::ffff:0:0/96 trusts every address: write the network of your proxy'],
    ['for not trusting one of them', 'auth: {trusted_proxies: ["::ffff:10.0.0.1/128", "::ffff:10.0.0.0/104", "2001:db8::/96"]}'],
    ['for trusting identity headers of every client', 'auth: {enabled: false}', headerTrust],
    ['for no header behind a secret', 'auth: {enabled: false}\nproxy: {auth_secret: 0123456789abcdef}'],
    ['for no header from a trusted proxy', 'auth: {enabled: false, trusted_proxies: [10.0.0.1]}'],
    ['for no header from a trusted peer', 'auth: {enabled: false}\nproxy: {trusted_peers: [10.0.0.1]}'],
    ['for a short secret, which is not shown', 'proxy: {auth_secret: hunter2}', 'config.yaml:1:22 proxy.auth_secret: shorter than 16 characters: generate one with "openssl rand -hex 32"'],
    ['for a mapped role that is unknown', 'proxy: {role_map: {admin: [a], gardner: [b]}}\nauth: {roles: {gardener: [x]}}', 'config.yaml:1:32 proxy.role_map.gardner: "gardner" is not in auth.roles: until it is created in the console, its groups have no effect and proxy.default_role decides'],
    ['for a group that holds the separator', 'proxy: {role_map: {admin: [a, "cn=a,ou=b"]}}', 'config.yaml:1:31 proxy.role_map.admin[1]: "cn=a,ou=b" holds proxy.separator ",", at which the header is cut: it never matches; set another separator'],
    ['for no such group with another separator', 'proxy: {role_map: {admin: ["cn=a,ou=b"]}, separator: "|"}'],
    ['for a group with a blank at its end', 'proxy: {role_map: {admin: ["a "]}}', 'config.yaml:1:28 proxy.role_map.admin[0]: "a " begins or ends with a blank: it never matches; remove the blank'],
    ['for a mapped header that is not read', 'proxy: {header_map: {user: Remote-User}}', 'config.yaml:1:9 proxy.header_map: is not read while auth.enabled is true: set auth.enabled to false, or remove the map'],
    ['for no empty map beside accounts', 'proxy: {header_map: {}}'],
    ['for a role that sees nothing older than an account, where none are kept', 'auth: {enabled: false, trusted_proxies: [10.0.0.1], roles: {sitter: {cameras: [hall], history_since: grant}, guest: {cameras: [hall], history_since: 7d}}}', 'config.yaml:1:102 auth.roles.sitter.history_since: grant shows no recordings and no events while auth.enabled is false, because users of a proxy have no account here: write a duration such as 7d'],
    ['for no such role beside accounts', 'auth: {roles: {sitter: {cameras: [hall], history_since: grant}}}'],
    ['for roles that differ in case only', 'auth: {roles: {Admin: [a]}}', 'config.yaml:1:16 auth.roles.Admin: differs from "admin" in case only, which a role header cannot tell: rename it'],
    ['for cameras whose names begin alike', 'nvr: {cameras: [front, front-door, frontyard, gate_2, gate]}', 'config.yaml:1:7 nvr.cameras: the name of a camera is the beginning of another one (front and front-door, gate and gate_2), and the NVR finds preview frames by the beginning of a name: a role that sees the first one alone gets no picture of it while it is offline; rename one of them'],
    ['for a role of an unknown camera', 'auth: {roles: {x: [garden, gate, "p_*", "g*"]}}\nnvr: {cameras: [garden]}', 'config.yaml:1:28 auth.roles.x[1]: "gate" is none of nvr.cameras, so it gives the role nothing: correct it, or add the camera to nvr.cameras', 'config.yaml:1:34 auth.roles.x[2]: "p_*" is none of nvr.cameras, so it gives the role nothing: correct it, or add the camera to nvr.cameras'],
  ];
  for (const [sentence, yaml, ...warnings] of rows) {
    it(sentence, async () => assert.deepEqual(await warningsFor(yaml), warnings));
  }

  it('with the variable that brought it', async () => {
    const env = { POSTERN__AUTH__SESSION_LENGTH: '0' };
    assert.deepEqual(await warningsFor('', { env }), [
      'POSTERN__AUTH__SESSION_LENGTH auth.session_length: 0, so a login lasts only a few seconds: write 86400 for a day',
    ]);
  });
});
