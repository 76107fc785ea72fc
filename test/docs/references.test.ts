/** Every reference to a section leads to one; what an operator reads says the thing itself instead. */
import assert from 'node:assert/strict';
import { globSync, statSync } from 'node:fs';
import { describe, it } from 'node:test';
import { numbersOf, readText } from './documents.ts';

const SECTIONS = {
  spec: numbersOf(readText('docs/spec.md')),
  interface: numbersOf(readText('docs/interface.md')),
} as const;

/** `SPEC 4.2`, `interface 5.1, 5.5.7`, `spec 3 to 5`: the document, and each number of the list behind it. */
const REFERENCE = /\b(?<document>spec|interface) (?<numbers>\d+(?:\.\d+)*(?:(?:, | and | to |–)\d+(?:\.\d+)*)*)/gi;
/** A document that is not part of the project. */
const ELSEWHERE = /\b(?:facts\/[\w-]+\.(?:md|json|yaml)|(?:SPEC|DESIGN|STYLE)\.md)/g;

interface Reference {
  readonly text: string;
  readonly isDangling: boolean;
}

function referencesIn(text: string): readonly Reference[] {
  const numbered = [...text.matchAll(REFERENCE)].flatMap(({ groups }) => {
    const document = groups?.['document']?.toLowerCase() === 'spec' ? 'spec' : 'interface';
    const numbers = groups?.['numbers']?.match(/\d+(?:\.\d+)*/g) ?? [];
    return numbers.map((number) => ({ text: `${document} ${number}`, isDangling: !SECTIONS[document].has(number) }));
  });
  return [...numbered, ...[...text.matchAll(ELSEWHERE)].map(([name]) => ({ text: name, isDangling: true }))];
}

const filesOf = (...patterns: readonly string[]): readonly string[] =>
  globSync(patterns, { exclude: ['**/node_modules/**', 'test/docs/**'] }).sort();
const described = (file: string, references: readonly Reference[]): readonly string[] =>
  references.map(({ text }) => `${file}: ${text}`);

const WRITTEN = filesOf('src/**/*.{ts,tsx,js,css,html}', 'test/**/*.ts', 'bench/**/*.ts', '**/*.md');
const READ_BY_OPERATORS = filesOf('conf/**', 'deploy/**', 'trusted-headers/*', 'Dockerfile').filter((file) =>
  statSync(file).isFile(),
);

describe('References to the interface and to the contract', () => {
  it('lead to a section that exists', () => {
    const dangling = WRITTEN.flatMap((file) =>
      described(
        file,
        referencesIn(readText(file)).filter(({ isDangling }) => isDangling),
      ),
    );
    assert.deepEqual(dangling, []);
  });

  it('are not in what an operator reads', () => {
    const found = READ_BY_OPERATORS.flatMap((file) => described(file, referencesIn(readText(file))));
    assert.deepEqual(found, [], 'write the sentence itself');
  });

  it('are found by this test when they dangle', () => {
    const text = 'interface 5.5.7, SPEC 4.2; interface 5.5, 5.99; spec 77; facts/attacks.md';
    assert.deepEqual(
      referencesIn(text).map((reference) => `${reference.text} ${reference.isDangling}`),
      [
        'interface 5.5.7 false',
        'spec 4.2 false',
        'interface 5.5 false',
        'interface 5.99 true',
        'spec 77 true',
        'facts/attacks.md true',
      ],
    );
  });
});
