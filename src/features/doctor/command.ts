/** `postern doctor [URL]`: what is wrong between a browser and Postern, and the line to change for it (SPEC 15). */
import { readFile } from 'node:fs/promises';
import type { CommandGroup, Frame } from '../../accounts/http/route-commands.ts';
import { PROXY_KINDS, type ProxyKind } from './marks.ts';

interface DoctorOptions {
  readonly url?: URL;
  readonly json?: boolean;
  readonly proxy?: ProxyKind;
  readonly header: readonly string[];
  readonly ca?: string;
  readonly silence: number;
}

const COULD_NOT_LOOK = 2;
const LONGEST_SILENCE = 120;

const NOTES = `
Beside the running server, with its --config-dir: it creates a token without rights for its requests, and revokes it.
The exit code is 0 when no error was found, 1 when one was found, 2 when nothing could be checked.`;

// biome-ignore format: a table
export const DOCTOR: CommandGroup = {
  commands: [
    { words: 'doctor [url]', about: 'check the way from a browser to Postern through the public address, and name each fault',
      args: { url: ['the public address, such as https://nvr.example.com (default: server.public_url; without both, only this machine is checked)', address] },
      options: [
        ['--json', 'print JSON, for programs'],
        ['--proxy <name>', 'kind of the proxy in front, when its headers do not show it', undefined, PROXY_KINDS],
        ['--header <line>', 'header to send with each request, "Name: value"; may be repeated', [], gathered],
        ['--ca <file>', 'PEM file of a certificate authority to trust, besides the public ones'],
        ['--silence <seconds>', 'how long the test stream stays silent, to find time-outs', 10, seconds],
      ],
      help: NOTES, faultCode: COULD_NOT_LOOK, run },
  ],
};

function address(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '') return url;
  throw new Error('write for example https://nvr.example.com or https://example.com/nvr');
}

function seconds(text: string): number {
  const value = Number(text);
  if (value >= 1 && value <= LONGEST_SILENCE) return value;
  throw new Error(`give 1 to ${LONGEST_SILENCE} seconds`);
}

function gathered(line: string, before: readonly string[]): readonly string[] {
  if (!/^[\w-]+:/.test(line)) throw new Error('write "Name: value"');
  return [...before, line];
}

async function run(options: DoctorOptions, frame: Frame): Promise<number> {
  const { url, json, proxy, silence } = options;
  const ca = options.ca === undefined ? undefined : await readFile(options.ca, 'utf8');
  const headers = Object.fromEntries(options.header.map(splitHeader));
  const { doctorAt } = await import('./run-doctor.ts');
  const { formatReport } = await import('./report.ts');
  const report = await doctorAt(frame, { url, proxy, headers, ca, silence });
  frame.stdout.write(json ? `${JSON.stringify(report, null, 2)}\n` : formatReport(report));
  return report.findings.some(({ level }) => level === 'error') ? 1 : 0;
}

function splitHeader(line: string): readonly [name: string, value: string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}
