/** `postern canary`: one round of the canary by hand, against the NVR of the configuration (SPEC 15). */
import { type Command, InvalidArgumentError } from 'commander';
import type { CanaryCommand, CanaryReport } from '../../app/commands/canary.ts';
import { messageOf } from '../../domain/message-of.ts';

export interface CanaryCommandDeps {
  readonly openCanary: () => Promise<CanaryCommand>;
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  readonly exit: (code: number) => void;
}

/** 2: nothing can be said, because no round could be finished, or most questions had no answer. */
const EXIT = { clean: 0, leaks: 1, unknown: 2 } as const;
const USUAL_SHARE = 0.1;

export function registerCanaryCommand(program: Command, deps: CanaryCommandDeps): void {
  program
    .command('canary')
    .description(
      'ask the NVR as a caller of one camera, and look for other cameras in the answers; exit 1 when there are any, 2 when nothing can be said',
    )
    .option('--share <part>', 'the part of the time in which the NVR is asked, up to 1', shareIn, USUAL_SHARE)
    .option('--json', 'print JSON, for programs')
    .addHelpText('after', HELP)
    .action((options: Options) => run(options, deps));
}

interface Options {
  readonly share: number;
  readonly json?: boolean;
}

const HELP = `
It sends GET requests only and changes nothing. The running service is not needed, and is not told. See docs/canary.md.`;

function shareIn(text: string): number {
  const share = Number(text);
  if (share > 0 && share <= 1) return share;
  throw new InvalidArgumentError('write a number above 0, up to 1, such as 0.1');
}

async function run({ share, json }: Options, { openCanary, stdout, stderr, exit }: CanaryCommandDeps): Promise<void> {
  try {
    const canary = await openCanary();
    const report = await canary.round(share).finally(canary.close);
    stdout.write(json ? `${JSON.stringify({ ...report.round, left: report.left }, null, 2)}\n` : formatted(report));
    exit(EXIT[resultOf(report)]);
  } catch (fault) {
    stderr.write(`${messageOf(fault)}\n`);
    exit(EXIT.unknown);
  }
}

function resultOf({ round }: CanaryReport): keyof typeof EXIT {
  if (round.kind !== 'done') return 'unknown';
  if (round.leaks.length > 0) return 'leaks';
  return round.failed > round.asked ? 'unknown' : 'clean';
}

const NOT_DONE = {
  'too-few-cameras': 'The NVR has fewer than two cameras: there is nothing to look for.',
  'cameras-unknown': 'The list of cameras could not be read from the NVR: check nvr.url.',
} as const;

function formatted({ round, left }: CanaryReport): string {
  if (round.kind !== 'done') return `${NOT_DONE[round.kind]}\n`;
  const { camera, asked, failed, unasked, leaks, drift } = round;
  const withoutAnswer = failed === 0 ? '' : `, ${failed} more had no answer`;
  return [
    `${asked} questions as a caller who sees ${camera} alone${withoutAnswer}.`,
    leaks.length === 0 ? 'No other camera was seen.' : `Other cameras were seen: ${leaks.length}`,
    ...leaks.map(
      ({ route, camera: seen, by }) => `  ${route}  (${seen === undefined ? WITHOUT_NAME : `${seen}, ${HOW[by]}`})`,
    ),
    ...part('Routes that were not asked about another camera, because the NVR has nothing of one there now', unasked),
    ...part('Routes of the events backend, which only the running service can be asked', left),
    ...part('Operations that the route table does not know (see "postern policy diff")', drift?.unknown ?? []),
    '',
  ].join('\n');
}

const WITHOUT_NAME = 'a sum over all cameras';
const HOW = {
  answered: 'a question about it was answered',
  name: 'by its name',
  key: 'by a key of its name',
  path: 'in a path',
  id: 'by the id of something of it',
  label: 'in a label',
  sum: 'in a sum',
} as const;

const part = (heading: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : [`${heading}: ${lines.length}`, ...lines.map((line) => `  ${line}`)];
