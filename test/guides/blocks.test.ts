/** Every block of README and the guides is run, or checked for what can be wrong with it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { parsePolicy } from '../../src/config/policy/load-policy.ts';
import { formatProblem } from '../../src/config/problems/problems.ts';
import { load } from '../config/config-place.ts';
import { type Compose, RESET } from '../deploy/support/compose.ts';
import { runPostern } from '../support/run-postern.ts';
import { type Block, blocksOf, commandsOf, GUIDES } from './support/blocks.ts';
import { commandProblem } from './support/command-problem.ts';

/** What a test cannot run, and why. A program that is not named here fails the test: it is new, or mistyped. */
const NOT_RUN: Readonly<Record<string, string>> = {
  docker:
    'no engine where tests run; what it starts of ours is checked as a command, and the compose files in test/deploy',
  git: 'no repository to clone from',
  npm: 'installing and starting is what every other test does; its scripts are looked up in package.json',
  certbot: 'wants a name that leads here, and a public authority',
  install: 'copies what certbot made',
  curl: 'needs a server: those of docs/api.md are run in api.test.ts',
  export: 'sets what the examples of docs/api.md are given by the test',
  dropdb: 'makes a database of the operator anew',
  createdb: 'likewise',
  pg_restore: 'reads a dump of the operator',
  tar: 'lists a file of the block before',
};

const isCompose = (tree: unknown): tree is Compose => typeof tree === 'object' && tree !== null && 'services' in tree;
/** Objects of the operator's own cluster; those that are shipped are checked in test/deploy. */
const isKubernetes = (tree: unknown): boolean => typeof tree === 'object' && tree !== null && 'apiVersion' in tree;
/** Its commands, its switches, or a list of its automations; those of docs/curtain.md are played in curtain.test.ts. */
const isHomeAssistants = (tree: unknown): boolean =>
  (typeof tree === 'object' && tree !== null && ('rest_command' in tree || 'switch' in tree)) ||
  (Array.isArray(tree) && tree.every((each) => Object(each) === each && 'triggers' in each));

const OTHERS_KEYS: readonly string[] = [
  'identity_providers',
  'staticClients',
  'streams',
  'authInternalUsers',
  'http',
  'proxy_pass_host',
];
/** What a provider, proxy or NVR is configured by: that it is YAML is all that can be told here. */
const isOfOthers = (tree: unknown): boolean =>
  typeof tree === 'object' && tree !== null && OTHERS_KEYS.some((key) => key in tree);

const isRouteTable = (tree: unknown): boolean =>
  typeof tree === 'object' && tree !== null && ('extends' in tree || ('version' in tree && 'routes' in tree));

/** Undefined when all is well. */
async function yamlProblem({ body }: Block): Promise<string | undefined> {
  // Home Assistant has a tag of its own for secrets.
  const tree: unknown = parse(body, { customTags: [{ tag: '!secret', resolve: (name: string) => name }, RESET] });
  if (isRouteTable(tree)) return routeTableProblem(body);
  if (isKubernetes(tree) || isOfOthers(tree)) return undefined;
  if (isHomeAssistants(tree)) return undefined; // Home Assistant's own format: that it is YAML is all that can be told here
  if (!isCompose(tree)) return configProblem(body);
  const env = tree.services['postern']?.environment ?? {};
  const { code, stderr } = await runPostern(['check'], { env });
  return code === 0 ? undefined : stderr;
}

function routeTableProblem(yaml: string): string | undefined {
  const table = parsePolicy(yaml, 'routes.yaml');
  return table.ok ? undefined : table.error.map((problem) => formatProblem('routes.yaml', problem)).join('\n');
}

/** Files that it names need not be there. */
async function configProblem(yaml: string): Promise<string | undefined> {
  const outcome = await load(yaml);
  const problems =
    outcome.kind === 'invalid'
      ? outcome.problems.filter(({ message }) => !/no such file|is not there/.test(message))
      : [];
  return problems.map((problem) => formatProblem('config.yaml', problem)).join('\n') || undefined;
}

/** A message as it is sent: that it is JSON is all that can be told here. */
function jsonProblem({ body }: Block): string | undefined {
  try {
    JSON.parse(body);
    return undefined;
  } catch (fault) {
    return String(fault);
  }
}

/** Blocks that other tests run as they stand: guides/api.test.ts, sso/already-there.nightly.test.ts. */
const RUN_BY: ReadonlySet<string> = new Set(['docs/api.md', 'docs/from-frigate.md']);

async function problemOf(block: Block): Promise<string | undefined> {
  switch (block.language) {
    case '': // a drawing
      return undefined;
    case 'yaml':
      return yamlProblem(block);
    case 'sh':
      return commandsOf(block)
        .map((command) => commandProblem(command, NOT_RUN))
        .find((problem) => problem !== undefined);
    case 'json':
      return jsonProblem(block);
    case 'python':
    case 'ts':
    case 'nginx':
    case 'caddyfile':
    case 'apache':
    case 'text':
      return RUN_BY.has(block.file) ? undefined : 'is run by nothing';
    default:
      return `no check for the language ${block.language}`;
  }
}

for (const file of GUIDES) {
  describe(`The blocks of ${file}`, () => {
    for (const block of blocksOf(file))
      it(`${block.place} ${block.language}`, async () => assert.equal(await problemOf(block), undefined));
  });
}
