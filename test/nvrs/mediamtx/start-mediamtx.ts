/** A real MediaMTX with streams made by ffmpeg: the binary in MEDIAMTX, or the one that `.ci/run` has built. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { freePorts } from '../../support/servers/free-port.ts';
import { until } from '../../support/until.ts';
import { PATHS } from './cases.ts';

export const MEDIAMTX_VERSION = '1.20.1';
const CACHE = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
const BUILT = join(CACHE, `postern/mediamtx-${MEDIAMTX_VERSION}/mediamtx`);
const BINARY = process.env['MEDIAMTX'] ?? BUILT;

/** Why the tests of a real MediaMTX are skipped; false when they are not. */
export const skip: string | false = !existsSync(BINARY)
  ? 'there is no MediaMTX: .ci/run builds it where there is Go, or name its binary in MEDIAMTX'
  : spawnSync('ffmpeg', ['-version']).status !== 0 && 'there is no ffmpeg';

export interface RealMediaMtx {
  readonly api: string;
  readonly hls: string;
  readonly webrtc: string;
  readonly playback: string;
  readonly metrics: string;
  close(): Promise<void>;
}

export async function startMediaMtx(): Promise<RealMediaMtx> {
  const directory = mkdtempSync(join(tmpdir(), 'mediamtx-'));
  const [api = 0, hls = 0, webrtc = 0, playback = 0, metrics = 0, rtsp = 0, udp = 0] = await freePorts(7);
  const at = (port: number): string => `127.0.0.1:${port}`;
  const actions = ['publish', 'read', 'playback', 'api', 'metrics'].map((action) => ({ action }));
  const config = {
    logLevel: 'warn',
    authInternalUsers: [{ user: 'any', ips: ['127.0.0.1'], permissions: actions }],
    ...{ api: true, apiAddress: at(api), metrics: true, metricsAddress: at(metrics) },
    ...{ hls: true, hlsAddress: at(hls), playback: true, playbackAddress: at(playback) },
    ...{ webrtc: true, webrtcAddress: at(webrtc), webrtcLocalUDPAddress: at(udp) },
    ...{ webrtcIPsFromInterfaces: false, webrtcAdditionalHosts: ['127.0.0.1'] },
    ...{ rtsp: true, rtspAddress: at(rtsp), rtspTransports: ['tcp'], rtmp: false, srt: false, moq: false },
    pathDefaults: {
      record: true,
      recordPath: join(directory, '%path/%Y-%m-%d_%H-%M-%S-%f'),
      recordSegmentDuration: '5s',
    },
    paths: { all_others: null },
  };
  writeFileSync(join(directory, 'mediamtx.yml'), stringify(config));
  const children = [spawn(BINARY, ['mediamtx.yml'], { cwd: directory, stdio: 'ignore' })];
  const close = async (): Promise<void> => {
    await Promise.all(children.reverse().map(ended));
    rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
  };
  const server = {
    api: `http://${at(api)}`,
    hls: `http://${at(hls)}`,
    webrtc: `http://${at(webrtc)}`,
    playback: `http://${at(playback)}`,
    metrics: `http://${at(metrics)}`,
  };
  try {
    await until('MediaMTX answers', async () => (await answer(`${server.api}/v3/info`)).status === 200);
    children.push(...PATHS.map((path) => publish(`rtsp://${at(rtsp)}/${path}`)));
    await until('all paths have a stream', async () => {
      const { items = [] } = JSON.parse((await answer(`${server.api}/v3/paths/list`)).text || '{}');
      return items.filter(({ ready }: { ready: boolean }) => ready).length === PATHS.length;
    });
    for (const path of PATHS)
      await until(
        'all paths are recorded',
        async () => (await answer(`${server.playback}/list?path=${path}`)).status === 200,
      );
    return { ...server, close };
  } catch (fault) {
    await close();
    throw fault;
  }
}

/** A small moving picture, encoded with as little work as can be. */
const publish = (address: string): ChildProcess =>
  spawn(
    'ffmpeg',
    [
      ...['-hide_banner', '-loglevel', 'error', '-re', '-f', 'lavfi', '-i', 'testsrc=size=128x96:rate=5'],
      ...['-c:v', 'libx264', '-preset', 'ultrafast', '-tune', 'zerolatency', '-g', '5', '-pix_fmt', 'yuv420p'],
      ...['-f', 'rtsp', '-rtsp_transport', 'tcp', address],
    ],
    { stdio: 'ignore' },
  );

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

export async function answer(url: string): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(60_000) }).catch(() => undefined);
  return { status: response?.status ?? 0, text: (await response?.text().catch(() => '')) ?? '' };
}
