/** The real go2rtc, where it is there, with streams that ffmpeg makes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { until } from '../../support/until.ts';

export const GO2RTC_VERSION = '1.9.14';

const CACHE = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
/** `GO2RTC` names the program; else it is where `.ci/run` builds it. */
const PROGRAM = process.env['GO2RTC'] || join(CACHE, `postern/go2rtc-${GO2RTC_VERSION}/go2rtc`);

const hasFfmpeg = globSync(['/usr/bin/ffmpeg', '/usr/local/bin/ffmpeg']).length > 0;

export const skip =
  existsSync(PROGRAM) && hasFfmpeg ? false : `no go2rtc at ${PROGRAM}, or no ffmpeg: .ci/run installs both`;

export interface RealGo2rtc {
  readonly url: string;
  close(): Promise<void>;
}

const H264 = '-c:v libx264 -preset ultrafast -tune zerolatency -pix_fmt yuv420p -g 5 -f mpegts -';
const picture = (source: string, codec: string): string =>
  `exec:ffmpeg -hide_banner -v error -re -f lavfi -i ${source}=size=160x120:rate=5 ${codec}`;

/** Pictures of `front` are of one pattern, those of every other stream of another. */
export const sourceOf = (name: string): string =>
  picture(name === 'front' ? 'testsrc' : 'testsrc2', name === 'mjpeg' ? '-c:v mjpeg -f mjpeg -' : H264);

export async function startGo2rtc(streams: readonly string[]): Promise<RealGo2rtc> {
  const directory = mkdtempSync(join(tmpdir(), 'postern-go2rtc-'));
  const [api, webrtc] = [await freePort(), await freePort()];
  const file = join(directory, 'go2rtc.yaml');
  writeFileSync(
    file,
    stringify({
      api: { listen: `127.0.0.1:${api}` },
      rtsp: { listen: '' },
      srtp: { listen: '' },
      webrtc: { listen: `127.0.0.1:${webrtc}`, ice_servers: [] },
      streams: Object.fromEntries(streams.map((name) => [name, sourceOf(name)])),
    }),
  );
  const program = spawn(PROGRAM, ['-c', file], { cwd: directory, stdio: 'ignore' });
  const url = `http://127.0.0.1:${api}`;
  await until('go2rtc answers', async () => (await fetch(`${url}/api`).catch(() => undefined))?.ok === true);
  return {
    url,
    async close() {
      await end(program);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function end(program: ChildProcess): Promise<void> {
  if (program.exitCode !== null) return;
  const ended = once(program, 'exit');
  program.kill('SIGTERM');
  await ended;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}
