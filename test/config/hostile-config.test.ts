/** Whatever is written, the answer is settings or problems in sentences: never a fault. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { configSchema } from '../../src/app/resources/features.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { parsePolicy } from '../../src/config/policy/load-policy.ts';
import { formatProblem } from '../../src/config/problems/problems.ts';
import { readYaml } from '../../src/config/problems/read-yaml.ts';
import { jsonSchema } from '../published/generated-files.ts';
import { withDirectory } from './config-place.ts';

const sections = Object.entries(jsonSchema(await configSchema()).properties ?? {});
const keys = sections.flatMap(([section, { properties }]) =>
  Object.keys(properties ?? {}).map((key) => [section, key] as const),
);
const odd = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.string(),
  fc.constantFrom('__proto__', '{SERVICE_X}', '*', '/..', '::/0', '-1'),
);

/** As text both are `[object Object]`. */
const HEADERS_THAT_ARE_NONE: readonly (readonly [(typeof keys)[number], fc.JsonValue])[] = [];

describe('A hostile configuration', () => {
  it('of any value at any key is answered', () =>
    withDirectory({}, async (directory) => {
      const values = fc.array(fc.tuple(fc.constantFrom(...keys), odd), { minLength: 1, maxLength: 5 });
      await fc.assert(
        fc.asyncProperty(values, async (written) => {
          const env = Object.fromEntries(
            written.map(([[section, key], value]) => [
              `POSTERN__${section}__${key}`.toUpperCase(),
              JSON.stringify(value),
            ]),
          );
          const outcome = await loadConfig({ directory, schema: configSchema, env, whenMissing: 'read' });
          const problems = outcome.kind === 'invalid' ? outcome.problems : outcome.warnings;
          for (const problem of problems)
            assert.doesNotMatch(formatProblem('c', problem), /undefined|\[object|Invalid input/);
          assert.ok(outcome.kind === 'loaded' || problems.length > 0);
        }),
        { numRuns: 200, examples: [[[...HEADERS_THAT_ARE_NONE]]] },
      );
    }));

  it('of any text is read or refused', () => {
    const pieces = fc.constantFrom(
      'a',
      ':',
      ' ',
      '\n',
      '-',
      '[',
      '{',
      '}',
      '*',
      '&a',
      '!t',
      '"',
      '#',
      '|',
      '<<',
      '? ',
      '---\n',
      '\t',
      'routes',
    );
    const texts = fc.oneof(
      fc.string(),
      fc.array(pieces, { maxLength: 30 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const yaml = readYaml(text);
        if (!yaml.ok) assert.ok(yaml.error.length > 0);
        const policy = parsePolicy(text, 'a.yaml');
        assert.ok(policy.ok || policy.error.length > 0);
      }),
      { numRuns: 500 },
    );
  });
});
