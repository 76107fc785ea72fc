/** Programs of Debian packages that some tests need: without them a test says that it was skipped, and why. */
import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';

/** False when the program is there; else why a test is skipped. */
export const missing = (program: string, packageName: string): string | false =>
  spawnSync(program, ['--version']).error ? `${packageName} is not installed` : false;

export interface Ran {
  readonly code: number;
  readonly output: string;
}

/** `input` goes to its standard input; output and errors come back together. */
export async function run(program: string, args: readonly string[], input = ''): Promise<Ran> {
  const running = promisify(execFile)(program, [...args], { maxBuffer: 16 * 1024 * 1024 });
  running.child.stdin?.on('error', () => {}); // not every program reads it
  running.child.stdin?.end(input);
  try {
    const { stdout, stderr } = await running;
    return { code: 0, output: `${stdout}${stderr}` };
  } catch (fault) {
    const { code, stdout, stderr } = fault as { code: number; stdout: string; stderr: string };
    return { code, output: `${stdout}${stderr}` };
  }
}
