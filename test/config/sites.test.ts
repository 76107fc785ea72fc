/** The keys `server.site`, `server.sites` and `auth.cookie_domain`: what they take, and what is said of what they do not take (SPEC 20). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatProblem } from '../../src/config/problems/problems.ts';
import { isSiteName } from '../../src/config/schema/server-schema.ts';
import { load, warningsFor } from './config-place.ts';

const NVR = 'nvr: {url: "http://nvr:5000"}\n';
const problemsIn = async (yaml: string): Promise<string[]> => {
  const outcome = await load(yaml);
  return outcome.kind === 'loaded' ? [] : outcome.problems.map((problem) => formatProblem('config.yaml', problem));
};

const BARN = '{name: barn, url: "https://barn.example.com"}';

// biome-ignore format: a table
const WRONG: readonly (readonly [sentence: string, yaml: string, problem: RegExp])[] = [
  ['a site in upper case', `${NVR}server: {site: House}`, /server\.site: "House" is not a name of a site: write 1 to 30 lower-case letters/],
  ['a site with a colon', `${NVR}server: {site: "a:b"}`, /server\.site: "a:b" is not a name of a site/],
  ['other sites of one without a name', `${NVR}server: {sites: [${BARN}]}`, /server\.sites: names other sites, and this one has no name: set server\.site/],
  ['itself among the others', `${NVR}server: {site: barn, sites: [${BARN}]}`, /server\.sites\[0\]\.name: "barn" is this site itself/],
  ['a site that is named twice', `${NVR}server: {site: house, sites: [${BARN}, ${BARN}]}`, /server\.sites\[1\]\.name: "barn" is named twice/],
  ['an address without encryption', `${NVR}server: {site: house, sites: [{name: barn, url: "http://barn.example.com"}]}`, /server\.sites\[0\]\.url: .* is not encrypted/],
  ['events in the store', `${NVR}server: {site: house}\nevents: {source: store}`, /events\.source: is store, and events in the store belong to no site/],
  ['no NVR', 'server: {site: house}', /events\.source: is store, .*set nvr\.url/],
  ['a domain of one label', 'auth: {cookie_domain: localhost}', /auth\.cookie_domain: "localhost" is not a domain that browsers take/],
  ['a domain that is an address', 'auth: {cookie_domain: 192.0.2.1}', /auth\.cookie_domain: "192\.0\.2\.1" is not a domain/],
  ['a domain that holds an attribute', 'auth: {cookie_domain: "example.com; Secure"}', /auth\.cookie_domain: "example\.com; Secure" is not a domain/],
  ['a domain of another host', 'auth: {cookie_domain: example.org}\nserver: {public_url: "https://nvr.example.com"}', /auth\.cookie_domain: "example\.org" is not the end of the host name of server\.public_url, nvr\.example\.com/],
  ['a domain that is the end of another name', 'auth: {cookie_domain: ample.com}\nserver: {public_url: "https://example.com"}', /auth\.cookie_domain: "ample\.com" is not the end/],
];

describe('A site', () => {
  for (const [sentence, yaml, problem] of WRONG)
    it(`is refused with ${sentence}`, async () => assert.match((await problemsIn(yaml)).join('\n'), problem));

  it('has a name, others beside it, and a domain for one login', async () => {
    const outcome = await load(
      `${NVR}server: {site: house, public_url: "https://house.Example.com", sites: [${BARN}]}\nauth: {cookie_domain: Example.com, roles: {both: [garden, yard]}}`,
    );
    assert.ok(outcome.kind === 'loaded', JSON.stringify(outcome));
    const { server, auth } = outcome.settings;
    assert.deepEqual([server.site, server.sites[0]?.name, auth.cookie_domain], ['house', 'barn', 'example.com']);
    assert.deepEqual(outcome.warnings, []);
  });

  it('is told of another one that the login does not reach, and not of cameras that may be there', async () => {
    const yaml = `nvr: {url: "http://nvr:5000", cameras: [garden]}\nserver: {site: house, sites: [${BARN}]}\nauth: {cookie_domain: example.org, roles: {both: [yard]}}`;
    const told = await warningsFor(yaml);
    assert.match(
      told.join('\n'),
      /the host name of the site barn, barn\.example\.com, does not end in auth\.cookie_domain/,
    );
    assert.equal(told.length, 1, told.join('\n'));
  });
});

it('names of sites are short, in lower case, and never hold a colon', () => {
  for (const good of ['a', 'house', 'barn-2', '1']) assert.ok(isSiteName(good), good);
  for (const bad of ['', 'House', 'a:b', '-a', 'a-', 'a b', 'a'.repeat(31), '*', 'a.b'])
    assert.ok(!isSiteName(bad), bad);
});
