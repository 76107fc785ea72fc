/** `npm run generate`: conf/config.example.yaml and conf/config.schema.json, from the schema; `--check` only compares. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exampleFile } from '../../config/example-file.ts';
import { jsonSchema } from '../../config/schema/schema.ts';

const CONF = join(import.meta.dirname, '../../../conf');

const contents: Readonly<Record<string, string>> = {
  'config.example.yaml': exampleFile(jsonSchema()),
  'config.schema.json': `${JSON.stringify({ title: 'The configuration of Postern', ...jsonSchema() }, null, 2)}\n`,
};

const isCheck = process.argv.includes('--check');

for (const [name, text] of Object.entries(contents)) {
  const file = join(CONF, name);
  if (!isCheck) writeFileSync(file, text);
  else if (readFileSync(file, 'utf8') !== text) {
    console.error(`conf/${name} is stale: run "npm run generate"`);
    process.exitCode = 1;
  }
}
