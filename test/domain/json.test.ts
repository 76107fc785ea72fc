/** Text is looked at before it is parsed as JSON: how deep it is nested, and numbers that are none. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isNestedTooDeep, plainJson } from '../../src/domain/json.ts';

const DEEP = '['.repeat(200);

describe('JSON', () => {
  // biome-ignore format: a table
  const rows: [sentence: string, text: string, isTooDeep: boolean][] = [
    ['may be nested a little',                                  '[[{"a":[]}]]',              false],
    ['may have any number of lists beside each other',          `[${'[],'.repeat(200)}[]]`,  false],
    ['is too deep of lists',                                    DEEP,                        true],
    ['is too deep of maps',                                     '{"":'.repeat(200),          true],
    ['may have brackets in a string',                           `["${DEEP}"]`,               false],
    ['may have them behind a quote in a string',                `["\\"${DEEP}"]`,            false],
    ['may have them behind a backslash and a quote in a string', `["\\\\\\"${DEEP}"]`,       false],
    ['may have them in a string that does not end',             `["${DEEP}`,                 false],
    ['is too deep behind an empty string',                      `["",${DEEP}`,               true],
    ['is too deep behind a string that is a quote',             `["\\"",${DEEP}`,            true],
    ['is too deep behind a string that is a backslash',         `["\\\\",${DEEP}`,           true],
  ];
  for (const [sentence, text, isTooDeep] of rows) it(sentence, () => assert.equal(isNestedTooDeep(text), isTooDeep));

  it('has null in the place of numbers that are none, and the same words in its strings', () => {
    assert.equal(plainJson('{"a":NaN,"b":[-Infinity],"NaN":"a \\" NaN"}'), '{"a":null,"b":[null],"NaN":"a \\" NaN"}');
  });
});
