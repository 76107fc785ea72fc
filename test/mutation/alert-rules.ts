/** The alert rules, each broken so that it never fires, and so that it always does: do their promtool tests notice? */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { run } from '../telemetry/support/debian.ts';

const DEPLOYED = join(import.meta.dirname, '../../deploy/prometheus');
/** Never, and always. */
const BROKEN = ['vector(0) > 1', 'vector(1)'];

interface Rule {
  readonly alert: string;
}
const rulesFile = (name: string) => parse(readFileSync(join(DEPLOYED, name), 'utf8'));

/** How many ways to break a rule there are, and those that no test noticed. */
export async function mutatedAlertRules(): Promise<{ readonly all: number; readonly survivors: readonly string[] }> {
  const directory = mkdtempSync(join(tmpdir(), 'postern-rules-'));
  const rules: readonly Rule[] = rulesFile('postern.rules.yml').groups.flatMap(
    (group: { rules: Rule[] }) => group.rules,
  );
  writeFileSync(join(directory, 'rules.test.yml'), stringify(rulesFile('postern.rules.test.yml')));
  const survivors: string[] = [];
  for (const expr of BROKEN) {
    const broken = { groups: [{ name: 'postern', rules: rules.map((rule) => ({ ...rule, expr })) }] };
    writeFileSync(join(directory, 'postern.rules.yml'), stringify(broken));
    const { output } = await run('promtool', ['test', 'rules', join(directory, 'rules.test.yml')]);
    const missed = rules.filter(({ alert }) => !output.includes(`alertname=\\"${alert}\\"`));
    survivors.push(...missed.map(({ alert }) => `${alert}: ${expr}`));
  }
  rmSync(directory, { recursive: true });
  return { all: BROKEN.length * rules.length, survivors };
}
