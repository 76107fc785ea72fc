/** The Dockerfile as its steps: stages, and what each copies, runs and sets. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './compose.ts';

export interface Step {
  readonly verb: string;
  readonly rest: string;
}

export interface Stage {
  /** Of `AS`; empty for the last. */
  readonly name: string;
  /** The image or stage that it begins with. */
  readonly base: string;
  readonly steps: readonly Step[];
}

export function readDockerfile(file = join(ROOT, 'Dockerfile')): readonly Stage[] {
  const text = readFileSync(file, 'utf8')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, ' ');
  const steps = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line): Step => {
      const [, verb = '', rest = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? [];
      return { verb, rest };
    });
  const stages: { name: string; base: string; steps: Step[] }[] = [];
  for (const step of steps) {
    if (step.verb === 'FROM') {
      const { base = '', name = '' } = /^(?:--\S+ )?(?<base>\S+)(?: AS (?<name>\w+))?$/.exec(step.rest)?.groups ?? {};
      stages.push({ name, base, steps: [] });
    } else stages.at(-1)?.steps.push(step);
  }
  return stages;
}

/** `NAME=value` pairs of all steps of a kind; quotes are taken off. */
export const pairsOf = ({ steps }: Stage, verb: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    steps
      .filter((step) => step.verb === verb)
      .flatMap(({ rest }) =>
        [...rest.matchAll(/([\w.]+)=("[^"]*"|\S+)/g)].map(([, name = '', value = '']) => [
          name,
          value.replaceAll('"', ''),
        ]),
      ),
  );
