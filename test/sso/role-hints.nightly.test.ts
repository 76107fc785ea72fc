/** "Why is my user a viewer?": `explain` says what is likely wrong (SPEC 15). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newDirectory, runPostern } from '../support/run-postern.ts';

const CONFIG = (
  proxy: string,
): string => `auth: {enabled: false, trusted_proxies: [127.0.0.1], roles: {gardener: [garden]}}
nvr: {cameras: [garden]}
proxy: ${proxy}
`;
const MAPPED = '{header_map: {user: Remote-User, role: Remote-Groups}, role_map: {admin: [nvr-admins], viewer: [nvr]}}';
const ENCODED = '{header_map: {user: Remote-User, role: Remote-Groups}, role_map: {viewer: [Gäste]}}';
const DIRECT = '{header_map: {user: Remote-User, role: Remote-Groups}}';
const UNMAPPED = '{header_map: {user: Remote-User}}';
const KNOWN = 'groups in proxy.role_map: nvr-admins, nvr';
const ROLES = 'roles there are: admin, viewer, gardener';

async function hints(proxy: string, headers: readonly string[]): Promise<readonly string[]> {
  const lines = ['Remote-User: alice', ...headers].flatMap((line) => ['--header', line]);
  const { stdout } = await runPostern(['explain', '--json', ...lines, 'GET', '/api/config'], {
    directory: newDirectory(CONFIG(proxy)),
  });
  return (JSON.parse(stdout) as { hints?: string[] }).hints ?? [];
}

describe('The hints of explain', { concurrency: 2 }, () => {
  // biome-ignore format: a table
  const rows: [of: string, proxy: string, headers: string[], hints: string[]][] = [
    ['nothing, when a group gives the role',   MAPPED,   ['Remote-Groups: nvr-admins'],          []],
    ['a group that differs by case',           MAPPED,   ['Remote-Groups: staff,NVR-Admins'],    ['the group "NVR-Admins" differs from "nvr-admins" of proxy.role_map in upper and lower case', KNOWN]],
    ['another separator',                      MAPPED,   ['Remote-Groups: staff|nvr-admins'],    ['"staff|nvr-admins" looks like several groups joined by "|", and proxy.separator is ","', KNOWN]],
    ['no separator that would make a role of another client a group of ours', MAPPED, ['Remote-Groups: other-client:nvr'], ['none of the groups that arrived (other-client:nvr) is known', KNOWN]],
    ['no blank that would cut the name of a group', MAPPED, ['Remote-Groups: former nvr'],  ['none of the groups that arrived (former nvr) is known', KNOWN]],
    ['a group that is percent-encoded',        ENCODED,  ['Remote-Groups: G%C3%A4ste'],          ['the group "G%C3%A4ste" is encoded: set proxy.header_map.encoding to percent', 'groups in proxy.role_map: Gäste']],
    ['a group in words of RFC 2047',           ENCODED,  ['Remote-Groups: =?utf-8?q?G=C3=A4ste?='], ['the group "=?utf-8?q?G=C3=A4ste?=" is encoded: set proxy.header_map.encoding to rfc2047', 'groups in proxy.role_map: Gäste']],
    ['a group that is nearly one',             MAPPED,   ['Remote-Groups: nvr-admin'],           ['the group "nvr-admin" is nearly "nvr-admins"', KNOWN]],
    ['groups of which none is known',          MAPPED,   ['Remote-Groups: staff,cooks'],         ['none of the groups that arrived (staff, cooks) is known', KNOWN]],
    ['a header that did not arrive',           MAPPED,   [],                                     ['the header "remote-groups" did not arrive: let the proxy send the groups under this name', KNOWN]],
    ['another header that did',                MAPPED,   ['X-Forwarded-Groups: nvr-admins'],     ['the header "remote-groups" did not arrive, and "x-forwarded-groups" did: set proxy.header_map.role to that one if it holds the groups', KNOWN]],
    ['a header that is empty',                 MAPPED,   ['Remote-Groups: '],                    ['the header "remote-groups" arrived empty: check that the proxy knows the groups of this user', KNOWN]],
    ['a header that is not mapped',            UNMAPPED, ['Remote-Groups: nvr-admins'],          ['proxy.header_map.role is not set, so no header gives a role: name the header that holds the groups', ROLES]],
    ['role names that are not configured',     DIRECT,   ['Remote-Groups: gardner'],             ['the group "gardner" is nearly "gardener"', ROLES]],
  ];
  for (const [of, proxy, headers, expected] of rows)
    it(`tell ${of}`, async () => assert.deepEqual(await hints(proxy, headers), expected));

  it('tell of a mapped header that is not on the list', async () => {
    const proxy = '{header_map: {user: Remote-User, role: X-Own-Groups}, role_map: {admin: [nvr-admins]}}';
    const [first = ''] = await hints(proxy, ['X-Own-Groups: nvr-admins']);
    assert.match(first, /^the header "x-own-groups" arrived and was dropped: .*allowlist/);
  });

  it('stand in the text that a person reads', async () => {
    const words = ['explain', '--header', 'Remote-User: alice', '--header', 'Remote-Groups: NVR', 'GET', '/api/config'];
    const { stdout } = await runPostern(words, { directory: newDirectory(CONFIG(MAPPED)) });
    assert.match(
      stdout,
      /^hint +the group "NVR" differs from "nvr" of proxy\.role_map in upper and lower case\n +groups in proxy\.role_map: /m,
    );
  });
});
