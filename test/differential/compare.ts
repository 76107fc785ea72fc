/**
 * `npm run differential -- OTHER [--only PATTERN] [--most N]`: asks this checkout and another one (a directory or a commit)
 * the same questions from the same store, in front of the same NVR, and prints what differs and is not meant.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import { makeToken } from '../attacks/support/make-token.ts';
import type { TokenRecipe } from '../attacks/support/vector.ts';
import { cookieFor, logInAt } from '../support/sessions.ts';
import { type Difference, differencesOf, isMeant, type Meant } from './differences.ts';
import { PROXIED, type Stage, stagesOf } from './questions.ts';
import { bearerOf, CONFIG, makeSeed, type Seed } from './seed.ts';
import { type Answer, type Question, type Side, signingKeyIn, startSide } from './side.ts';

const HERE = join(import.meta.dirname, '../..');
const MEANT = parse(readFileSync(join(import.meta.dirname, 'meant.yaml'), 'utf8')) as readonly Meant[];
const PROXY_SECRET = 'between-proxy-and-postern';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string' }, most: { type: 'string', default: '40' } },
});
const [named] = positionals;
if (named === undefined) {
  process.stderr.write('Name the other checkout: a directory, or a commit of this repository.\n');
  process.exit(2);
}
const worktree = existsSync(named) ? undefined : checkedOut(named);
const other = worktree ?? named;
for (const checkout of [other, HERE]) build(checkout);

const seed = await makeSeed(other);
const only = new RegExp(values.only ?? '');
const stages = stagesOf(other, seed, await describedBy(other, seed)).filter(({ name }) => only.test(name));
const unmeant: { readonly name: string; readonly difference: Difference }[] = [];
const excused = new Map<Meant, number>();
let asked = 0;
for (const stage of stages) await compareIn(stage);
report();
rmSync(seed.directory, { recursive: true, force: true });
if (worktree) execFileSync('git', ['worktree', 'remove', '--force', worktree], { cwd: HERE });
process.exit(unmeant.length > 0 ? 1 : 0);

async function compareIn(stage: Stage): Promise<void> {
  const sides = await Promise.all([other, HERE].map((checkout) => startSide(checkout, seed.directory, stage.config)));
  const credentials = await Promise.all(sides.map((side) => credentialsAt(side, stage)));
  for (const question of stage.questions) {
    const name =
      `${stage.name}: ${question.caller} ${question.method} ${question.target} ${question.body ?? ''}`.trim();
    const [before, after] = await Promise.all(
      sides.map((side, index) => answered(side, stage, question, credentials[index] ?? {})),
    );
    assert.ok(before && after);
    asked += 1;
    for (const difference of differencesOf(before, after)) note(name, difference);
  }
  await Promise.all(sides.map((side) => side.end()));
  progress(stage);
}

type Credentials = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Sessions are made at each start, and the lasting credentials are those of the seed. */
async function credentialsAt(side: Side, { isProxied }: Stage): Promise<Credentials> {
  if (isProxied) return { ...PROXIED, ...seed.credentials };
  const made: Record<string, Readonly<Record<string, string>>> = { ...seed.credentials };
  for (const person of seed.people) {
    made[`${person.name}, cookie`] = { cookie: cookieFor(await logInAt(side.url, person)) };
    made[`${person.name}, bearer`] = await bearerOf(side.url, person);
  }
  return made;
}

async function answered(side: Side, stage: Stage, question: Question, credentials: Credentials): Promise<Answer> {
  const isInternal = stage.isInternal === true;
  if (question.raw === undefined) return side.ask(question, credentials[question.caller] ?? {}, isInternal);
  const bearer = (name: string): string => credentials[`${name}, bearer`]?.['authorization']?.slice(7) ?? '';
  const recipes = JSON.parse(question.caller) as Readonly<Record<string, TokenRecipe>>;
  const now = Math.floor(Date.now() / 1000);
  const filled = Object.entries({
    SECRET: PROXY_SECRET,
    ADMIN: bearer('admin'),
    VIEWER: bearer('vera'),
    CAM1: bearer('carl'),
    ...Object.fromEntries(
      Object.entries(recipes).map(([name, recipe]) => [name, makeToken(recipe, signingKeyIn(seed.directory), now)]),
    ),
  }).reduce((raw, [name, value]) => raw.replaceAll(`{{${name}}}`, value), question.raw);
  return side.askRaw(filled, isInternal);
}

function note(name: string, difference: Difference): void {
  const meant = isMeant(name, difference, MEANT);
  if (meant) excused.set(meant, (excused.get(meant) ?? 0) + 1);
  else unmeant.push({ name, difference });
}

function progress({ name, questions }: Stage): void {
  process.stderr.write(`${name}: ${questions.length} questions; ${asked} in all, ${unmeant.length} differences\n`);
}

function report(): void {
  for (const { name, difference } of unmeant.slice(0, Number(values.most))) {
    const { part, before, after } = difference;
    process.stdout.write(`\n${name}\n  ${part}\n${indented('-', before)}\n${indented('+', after)}\n`);
  }
  process.stdout.write(`\n${asked} questions, ${unmeant.length} differences that are not meant\n`);
  for (const [{ why }, count] of excused) process.stdout.write(`  ${count} are meant: ${why}\n`);
  for (const { why, question } of MEANT.filter((row) => !excused.has(row)))
    if (values.only === undefined)
      process.stdout.write(`  no question needed this row of meant.yaml: ${question} (${why})\n`);
}

function indented(sign: string, text: string): string {
  return text
    .slice(0, 600)
    .split('\n')
    .map((line) => `    ${sign} ${line}`)
    .join('\n');
}

async function describedBy(checkout: string, { directory }: Seed): Promise<object> {
  const side = await startSide(checkout, directory, CONFIG);
  const headers = seed.credentials['admin token'] ?? {};
  const description = await (await fetch(`${side.url}/postern/api/openapi.json`, { headers })).json();
  await side.end();
  return description as object;
}

function checkedOut(commit: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'postern-other-'));
  execFileSync('git', ['worktree', 'add', '--detach', '--force', directory, commit], { cwd: HERE, stdio: 'ignore' });
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: directory, stdio: 'ignore' });
  return directory;
}

function build(checkout: string): void {
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: checkout, stdio: 'inherit' });
}
