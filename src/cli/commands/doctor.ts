/** `postern doctor [URL]`: what is wrong between a browser and Postern, and the line to change for it (SPEC 15). */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { DoctorInstance } from '../../app/commands/doctor.ts';
import { PROXY_KINDS, type ProxyKind } from '../../doctor/cause.ts';
import type { Report } from '../../doctor/report.ts';

export interface DoctorCommandDeps {
  /** Rejects with a sentence. */
  readonly openDoctor: () => Promise<DoctorInstance>;
  /** Unix seconds. */
  readonly now: () => number;
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  readonly exit: (code: number) => void;
}

interface DoctorOptions {
  readonly json?: boolean;
  readonly proxy?: ProxyKind;
  readonly header: readonly string[];
  readonly ca?: string;
  readonly silence: number;
}

const COULD_NOT_LOOK = 2;
const LONGEST_SILENCE = 120;

export function registerDoctorCommand(program: Command, deps: DoctorCommandDeps): void {
  program
    .command('doctor')
    .description('go through the public address as a browser would, and name what is wrong on the way')
    .argument(
      '[url]',
      'the address that people use, such as https://nvr.example.com; server.public_url when not given; without both only this machine is looked at',
      address,
    )
    .option('--json', 'print JSON, for programs')
    .addOption(new Option('--proxy <name>', 'the proxy in front, where it does not say so itself').choices(PROXY_KINDS))
    .option('--header <line>', 'sent with each question, "Name: value"; may be repeated', gathered, [])
    .option('--ca <file>', 'PEM of an authority to be believed, beside the public ones')
    .option('--silence <seconds>', 'for how long a stream says nothing, to find time-outs', seconds, 10)
    .addHelpText('after', NOTES)
    .action((url: URL | undefined, options: DoctorOptions) => run(url, options, deps));
}

const NOTES = `
Beside the running server, with its --config-dir: a token that may nothing is made for the questions, and revoked.
The exit code is 0 when no error was found, 1 with one, 2 when nothing could be looked at.`;

function address(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '') return url;
  throw new InvalidArgumentError('write for example https://nvr.example.com or https://example.com/nvr');
}

function seconds(text: string): number {
  const value = Number(text);
  if (value >= 1 && value <= LONGEST_SILENCE) return value;
  throw new InvalidArgumentError(`give 1 to ${LONGEST_SILENCE} seconds`);
}

function gathered(line: string, before: readonly string[]): readonly string[] {
  if (!/^[\w-]+:/.test(line)) throw new InvalidArgumentError('write "Name: value"');
  return [...before, line];
}

async function run(url: URL | undefined, options: DoctorOptions, deps: DoctorCommandDeps): Promise<void> {
  const { stdout, stderr, exit } = deps;
  try {
    const report = await reportOn(url, options, deps);
    const { formatReport } = await import('../../doctor/report.ts');
    stdout.write(options.json ? `${JSON.stringify(report, null, 2)}\n` : formatReport(report));
    exit(report.findings.some(({ level }) => level === 'error') ? 1 : 0);
  } catch (fault) {
    stderr.write(`${fault instanceof Error ? fault.message : fault}\n`);
    exit(COULD_NOT_LOOK);
  }
}

async function reportOn(url: URL | undefined, options: DoctorOptions, deps: DoctorCommandDeps): Promise<Report> {
  const ca = options.ca === undefined ? undefined : await readFile(options.ca, 'utf8');
  const { createReport } = await import('../../doctor/report.ts');
  const { publicUrl, ...instance } = await deps.openDoctor();
  try {
    return await createReport({
      url: url ?? publicUrl,
      proxy: options.proxy,
      headers: Object.fromEntries(options.header.map(splitHeader)),
      ca,
      silence: options.silence,
      now: deps.now,
      newMark: randomUUID,
      ...instance,
    });
  } finally {
    await instance.close();
  }
}

function splitHeader(line: string): readonly [name: string, value: string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}
