/**
 * `npm run generate`: the example and the schema of the configuration, the table of the own routes, the types of messages, and
 * docs/generated/; it lists what a language lacks. `--check` only compares.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CORE_ROUTES } from '../../src/app/own-routes.ts';
import { configSchema, loadFeatures } from '../../src/app/resources/features.ts';
import { adversariesDocument, readAdversaries } from './adversaries.ts';
import { allHoles } from './all-holes.ts';
import { asvsDocument, readAsvs } from './asvs.ts';
import { documentOf } from './document.ts';
import { exampleFile, jsonSchema } from './generated-files.ts';
import { lacking, placeholdersFile } from './placeholders.ts';
import { promisesDocument, readPromises } from './promises.ts';
import { readRemembered, rememberedDocument } from './remembered.ts';

const ROOT = join(import.meta.dirname, '../..');

const OWN_TABLE_HEAD = `# Postern's own routes, by "npm run generate" from their declarations in the source. They stand before the rows of every
# other table, so that no table can close the login page. How rows are written: see docs/policies.md.
#
# A path that is named here is Postern's for every method, in any letter case and with or without a slash at its end: no
# request for it reaches the NVR. What no row names is 404. Two exceptions: "forwarded: true" marks a row of which
# Postern takes a part and forwards the rest, or that its events backend serves, and with "ui.login: nvr" the login page
# is the NVR's.
#
# "compressed: true" marks a row whose response is sent in gzip or Brotli. No other row's is: where a response holds a
# secret beside text that a stranger chose (a user agent, the name of a failed login), its compressed length tells the
# secret letter by letter (BREACH). So tokens, links, invitations, sessions, records and the status are never marked.
#
# "secret: true": credentials are presented here, so the proxy's secret is asked for. "enrolment: true": also for a caller
# who must set up a second factor before anything else. "stands_for: nvr": the path stands for one of the NVR, and the
# request is judged as one for that path, with the rights of the secret in it.
version: 1

routes:
`;
/** What a declaration says beside its row. */
const NOT_OF_ROW: readonly string[] = ['summary', 'query', 'body', 'yes', 'no', 'type', 'handler', 'call'];
const routeRow = (route: object): string =>
  Object.entries(route)
    .filter(([key]) => !NOT_OF_ROW.includes(key))
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
    .join(', ');

const schema = jsonSchema(await configSchema());
const ownRoutes = [...CORE_ROUTES, ...(await loadFeatures()).flatMap(({ routes = [] }) => routes)];

const TEXTS: Readonly<Record<string, string>> = {
  'conf/config.example.yaml': exampleFile(schema),
  'conf/policies/postern.yaml': `${OWN_TABLE_HEAD}${ownRoutes.map((route) => `  - { ${routeRow(route)} }\n`).join('')}`,
  'conf/config.schema.json': `${JSON.stringify({ title: 'The configuration of Postern', ...schema }, null, 2)}\n`,
  'src/locales/placeholders/en.json': placeholdersFile(),
  'docs/generated/published-holes.md': documentOf(await allHoles()),
  'docs/generated/adversaries.md': adversariesDocument(readAdversaries()),
  'docs/generated/asvs.md': asvsDocument(readAsvs()),
  'docs/generated/promises.md': promisesDocument(readPromises(), readFileSync(join(ROOT, 'SECURITY.md'), 'utf8')),
  'docs/generated/remembered.md': rememberedDocument(readRemembered()),
};

for (const [name, text] of Object.entries(TEXTS)) {
  const file = join(ROOT, name);
  if (!process.argv.includes('--check')) writeFileSync(file, text);
  else if (readFileSync(file, 'utf8') !== text) {
    console.error(`${name} is stale: run "npm run generate"`);
    process.exitCode = 1;
  }
}

for (const [tag, keys] of lacking())
  if (keys.length > 0) console.log(`src/locales/${tag}.json lacks: ${keys.join(', ')}`);
