/** Keys are set in the text of a configuration, and everything else in it stays as it was written (SPEC 1). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { type NewValue, withValues } from '../../src/config/edit-text.ts';
import { readYaml } from '../../src/config/problems/read-yaml.ts';

const ZONE: NewValue = { section: 'auth', key: 'timezone', value: 'Europe/Berlin' };
const ADDRESS: NewValue = { section: 'server', key: 'public_url', value: 'https://nvr.example.com' };

// biome-ignore format: a table
const rows: readonly (readonly [sentence: string, before: string, after: string | undefined])[] = [
  ['an empty file',                     '',                                              'auth:\n  timezone: "Europe/Berlin"\n'],
  ['a file of comments alone',          '# nothing yet',                                 '# nothing yet\nauth:\n  timezone: "Europe/Berlin"\n'],
  ['empty braces',                      '{} # the defaults\n',                           'auth:\n  timezone: "Europe/Berlin" # the defaults\n'],
  ['a file without the section',        'nvr:\n  url: http://nvr # here',                'nvr:\n  url: http://nvr # here\nauth:\n  timezone: "Europe/Berlin"\n'],
  ['a section without keys',            'auth: # later\nnvr: {}\n',                      'auth:\n  timezone: "Europe/Berlin" # later\nnvr: {}\n'],
  ['a section whose keys are comments', 'auth:\n#  timezone: x\nnvr: {}\n',              'auth:\n  timezone: "Europe/Berlin"\n#  timezone: x\nnvr: {}\n'],
  ['a section of empty braces',         'auth: {}\n',                                    'auth: \n  timezone: "Europe/Berlin"\n'],
  ['a section with other keys',         'auth:\n    # a day\n    session_length: 86400\n', 'auth:\n    # a day\n    timezone: "Europe/Berlin"\n    session_length: 86400\n'],
  ['another value, with a comment',     "auth:\n  timezone: 'UTC' # at sea\n  enabled: true\n", 'auth:\n  timezone: "Europe/Berlin" # at sea\n  enabled: true\n'],
  ['a key without a value',             'auth:\n  timezone:\n  enabled: true\n',         'auth:\n  timezone: "Europe/Berlin"\n  enabled: true\n'],
  ['lines that end as on Windows',      'auth:\r\n  enabled: true\r\n',                  'auth:\r\n  timezone: "Europe/Berlin"\r\n  enabled: true\r\n'],
  ['braces: a person must do it',       'auth: {enabled: true}\n',                       undefined],
  ['a whole file in braces',            '{"auth": {"enabled": true}}\n',                 undefined],
  ['a value that an alias stands for',  'a: &zone UTC\nauth:\n  timezone: *zone\n',      undefined],
  ['an anchor that others refer to',    'auth:\n  timezone: &zone UTC\nb: *zone\n',      undefined],
  ['a value in several lines',          'auth:\n  timezone: |\n    UTC\n  enabled: true\n', undefined],
  ['a list in the place of a section',  'auth: [1]\n',                                   undefined],
  ['two documents',                     'auth:\n  enabled: true\n---\nb: 1\n',           undefined],
  ['no YAML',                           'auth: [\n',                                     undefined],
];

describe('A key that is set in the text of a configuration', () => {
  for (const [sentence, before, after] of rows)
    it(`stands in ${sentence}`, () => assert.equal(withValues(before, [ZONE]), after));

  it('is set beside another one', () => {
    assert.equal(
      withValues('server:\n  external: 127.0.0.1:8971\n', [ZONE, ADDRESS]),
      'server:\n  public_url: "https://nvr.example.com"\n  external: 127.0.0.1:8971\nauth:\n  timezone: "Europe/Berlin"\n',
    );
  });

  it('leaves every other value and every other line, whatever they are', () => {
    const name = fc.stringMatching(/^[a-z_]{1,7}$/);
    const plain = { noNullPrototype: true };
    const value = fc.oneof(fc.string(), fc.integer(), fc.array(fc.string()), fc.dictionary(name, fc.string(), plain));
    const section = fc.dictionary(name, value, plain);
    const tree = fc.record({ auth: section, nvr: section, server: section }, { requiredKeys: [], ...plain });
    fc.assert(
      fc.property(tree, fc.string(), (value, text) => {
        const before = `# first\n${stringify(value)}# last\n`;
        const after = withValues(before, [{ ...ZONE, value: text }]);
        assert.ok(after !== undefined);
        const read = readYaml(after);
        assert.ok(read.ok);
        assert.deepEqual(read.value.tree, { ...value, auth: { ...value.auth, timezone: text } });
        const kept = before.split('\n').filter((line) => !/^(?:auth:|\{\}| {2}timezone:)/.test(line));
        for (const line of kept) assert.ok(after.includes(line));
      }),
    );
  });
});
