/** What both YAML targets ask of a list of problems: a sentence each, which names the key, and where it stands. */
import assert from 'node:assert/strict';
import { formatProblem, type Problem } from '../../../src/config/problems/problems.ts';

/** A secret that stands in the text must stand in no problem. */
export const SECRET = 'tap-water';

/** Once, as the value of a key for secrets. */
const IN_ITS_PLACE = new RegExp(
  `^(?![^]*${SECRET}[^]*${SECRET})[^]*(?:auth_secret|webhook_secret): "?${SECRET}"?\\s*[,}\\n]`,
);

export function assertSentences(problems: readonly Problem[], text: string): void {
  const lines = text.split('\n').length;
  const hidesSecret = IN_ITS_PLACE.test(text);
  assert.ok(problems.length > 0, 'refused without a problem');
  for (const problem of problems) {
    const { path, message, line, column } = problem;
    assert.ok(message.length > 5 && !message.includes('\n    at '), `no sentence: ${message}`);
    assert.doesNotMatch(
      message,
      /\bundefined\b|\[object|Invalid input|TypeError|Cannot read|is not a function|Maximum call/,
    );
    assert.ok(line === undefined || (line >= 1 && line <= lines + 1), `line ${line} of ${lines}`);
    assert.ok(column === undefined || column >= 1);
    // A problem of a key names the key; one of the text has a line; one of the whole names what is missing.
    assert.ok(path !== '' || line !== undefined || message.length > 20, formatProblem('file', problem));
    assert.ok(!hidesSecret || !formatProblem('file', problem).includes(SECRET), 'a secret stands in a problem');
  }
}
