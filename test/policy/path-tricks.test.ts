/** Other spellings of what a role is refused: none of them turns the refusal into a pass (attacks D and E). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { foreign, nameOf, type Operation, readOperations } from './support/rows.ts';
import { FOREIGN, withoutItsName } from './support/two-cameras.ts';
import { type Answered, startWalkInstance, type WalkInstance } from './support/walk-instance.ts';

/** Undefined where a trick does not apply. */
type Trick = (path: string, query: string) => string | undefined;

const encoded = (letter: string): string => `%${letter.charCodeAt(0).toString(16)}`;
const lastSlash = (path: string, by: string): string => path.replace(/(?<=.)\/(?=[^/]+\/?$)/, by);
const joined = (path: string, query: string): string => (query === '' ? path : `${path}?${query}`);
const onPath =
  (change: (path: string) => string): Trick =>
  (path, query) =>
    joined(change(path), query);
const onQuery =
  (change: (query: string) => string): Trick =>
  (path, query) =>
    query === '' ? undefined : joined(path, change(query));
const ofGarden = (query: string): string => query.replaceAll('bedroom', 'garden').replaceAll('bbbbb2', 'aaaaa1');

// biome-ignore format: a table
const TRICKS: Readonly<Record<string, Trick>> = {
  'a letter encoded':               onPath((path) => path.replace(/[a-z](?=[^/]*$)/, encoded)),
  'every letter encoded':           onPath((path) => path.replaceAll(/[A-Za-z]/g, encoded)),
  'a letter encoded twice':         onPath((path) => path.replace(/[a-z](?=[^/]*$)/, (letter) => `%25${letter.charCodeAt(0).toString(16)}`)),
  'two slashes in front':           onPath((path) => `/${path}`),
  'two slashes inside':             onPath((path) => lastSlash(path, '//')),
  'an encoded slash':               onPath((path) => lastSlash(path, '%2f')),
  'a dot segment':                  onPath((path) => lastSlash(path, '/./')),
  'a way up and back':              onPath((path) => lastSlash(path, '/x/../')),
  'an encoded way up and back':     onPath((path) => lastSlash(path, '/x/%2e%2e/')),
  'a way through what is public':   onPath((path) => `/assets/..${path}`),
  'a way through its own camera':   onPath((path) => path.replace('bedroom', 'garden/../bedroom')),
  'a path parameter':               onPath((path) => lastSlash(path, ';x/')),
  'a path parameter at the end':    onPath((path) => `${path};x=1`),
  'upper case':                     onPath((path) => path.replace(/[a-z]/, (letter) => letter.toUpperCase())),
  'all in upper case':              onPath((path) => path.toUpperCase()),
  'a slash at the end':             onPath((path) => `${path}/`),
  'a segment more':                 onPath((path) => `${path}/x`),
  'a newline at the end':           onPath((path) => `${path}%0a`),
  'a NUL at the end':               onPath((path) => `${path}%00.js`),
  'a backslash':                    onPath((path) => lastSlash(path, '%5c')),
  'a fragment':                     onPath((path) => `${path}#.js`),
  'a question mark encoded':        onPath((path) => `${path}%3f.js`),
  'its own camera in the query':    (path, query) => joined(path, [query, 'camera=garden&cameras=garden&src=garden_sub'].filter(Boolean).join('&')),
  'its own first, repeated':        onQuery((query) => `${ofGarden(query)}&${query}`),
  'its own last, repeated':         onQuery((query) => `${query}&${ofGarden(query)}`),
  'its own beside it in one list':  onQuery((query) => query.replace(/=(.*)$/, (_, value) => `=${ofGarden(value)},${value}`)),
  'an encoded list':                onQuery((query) => query.replace(/=(.*)$/, (_, value) => `=${ofGarden(value)}%2C${value}`)),
  'the other parameter':            onQuery((query) => (query.startsWith('camera') ? `${ofGarden(query)}&camera=bedroom&cameras=bedroom` : query)),
  'a name encoded':                 onQuery((query) => query.replace(/^[a-z]/, encoded)),
  'a name in upper case':           onQuery((query) => query.replace(/^[a-z]+/, (name) => name.toUpperCase())),
  'brackets behind the name':       onQuery((query) => query.replace('=', '[]=')),
  'a semicolon between':            onQuery((query) => `${ofGarden(query)};${query}`),
  'a semicolon in front':           onQuery((query) => `x=1;${query}&${ofGarden(query)}`),
  'a semicolon in another value':   (path, query) => (query === '' ? `${path}?x=1;camera=bedroom;cameras=bedroom` : undefined),
};

/** All that a gardener is refused when it is asked about the bedroom. */
const REFUSED = readOperations().filter(
  ({ a, cam, svc }) => svc !== 'auth' && (['admin', 'unrestricted'].includes(a) || cam),
);

describe('What a gardener may not have of the bedroom', () => {
  let walk: WalkInstance;
  before(async () => {
    walk = await startWalkInstance([]);
  });
  after(() => walk.close());

  for (const operation of REFUSED) {
    it(`${nameOf(operation)} is not to be had by any spelling`, async () => {
      const asked = foreign(operation);
      const wrong: string[] = [];
      for (const [trick, change] of Object.entries(TRICKS)) {
        const [path = '', query = ''] = asked.target.split('?');
        const target = change(path, query);
        if (target === undefined || target === asked.target) continue;
        const fault = faultIn(operation, target, await walk.ask('gardener', { ...asked, target }));
        if (fault !== undefined) wrong.push(`${trick} (${target}): ${fault}`);
      }
      assert.deepEqual(wrong, []);
    });
  }
});

/** No byte of the bedroom in the answer; and nothing about it asked of the NVR, unless its answer is narrowed. */
function faultIn({ f, how }: Operation, target: string, answered: Answered): string | undefined {
  const { status, body, headers, forwarded } = answered;
  const text = withoutItsName(body, target) + JSON.stringify(headers);
  if (FOREIGN.test(text)) return `answered ${status} with ${text.slice(0, 200)}`;
  const [sent] = forwarded;
  const isNarrowed = f !== undefined || how === 'post-check' || status >= 400;
  return sent && !isNarrowed && FOREIGN.test(sent.target) ? `the NVR was sent ${sent.target}` : undefined;
}
