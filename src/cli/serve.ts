/** `postern serve`: start, say where it listens, read the configuration again when it changes, stop in good order (SPEC 1). */
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import type { Writable } from 'node:stream';
import type { Frame } from '../accounts/http/route-commands.ts';
import { StoppedAtStart } from '../app/await-store.ts';
import { type Postern, startPostern } from '../app/start.ts';
import { formatProblem } from '../config/problems/problems.ts';
import type { Settings } from '../config/schema/schema.ts';
import { loadServiceConfig } from '../config/service-config.ts';
import { hostInUrl, type ListenAddress, publicAddress } from '../domain/addresses.ts';
import { faultMessage } from '../domain/result.ts';
import { watchFiles } from '../files/watch-files.ts';
import { type LogDestination, openLogDestination } from '../telemetry/logs/log-destination.ts';
import { stopSignal } from './stop-signal.ts';
import { releaseV8 } from './v8-settings.ts';
import { VERSION } from './version.ts';

/** Resolves with the exit code, once stopped by SIGTERM or SIGINT or when it cannot start. */
export async function runServe({ place, stdout, stderr }: Frame): Promise<number> {
  const { directory, env, schema, clock } = place();
  const config = await loadServiceConfig({ directory, env, schema });
  if (config.kind === 'invalid') {
    for (const problem of config.problems) stderr.write(`${formatProblem(config.file, problem)}\n`);
    stderr.write(
      `Postern did not start: correct the ${config.problems.length === 1 ? 'problem' : 'problems'} above first.\n`,
    );
    return 1;
  }
  if (config.created) stdout.write(`There was no configuration. An example to start from is now in ${config.file}.\n`);
  // From here on: a signal during the start, or a change of a file, is not lost.
  const stopped = stopSignal(stdout.isTTY === true);
  const watching = await watchConfig(config.files);
  const log = openLogDestination(stdout);
  try {
    const postern = await startPostern({
      config,
      directory: resolve(directory),
      env,
      clock,
      log,
      version: VERSION,
      stopped,
    });
    log.flush();
    stdout.write(announcement(postern, stdout.isTTY === true));
    notifyReady(env);
    releaseV8();
    watching.onChange(() => reload(postern, stdout, log));
    await stopped;
    watching.close();
    endAfter(config.settings.server.shutdown_grace, stderr);
    await postern.close();
    if (!(await log.written(LAST_LINES_MS))) process.exit(0); // nothing reads the output, so waiting for it would never end
    return 0;
  } catch (fault) {
    watching.close();
    if (fault instanceof StoppedAtStart) return 0;
    stderr.write(`Postern did not start: ${faultMessage(fault)}\n`);
    return 1;
  }
}

const LAST_LINES_MS = 500;
/** The time beyond the grace for what is written last: with the default the whole stays below the 10 s of `docker stop`. */
const CLOSING_SECONDS = 1.5;

/** A locked store or an events backend that does not answer must not keep the process alive. */
function endAfter(graceSeconds: number, stderr: Writable): void {
  const timer = setTimeout(
    () => {
      stderr.write(
        'Postern stopped before everything was written: the store or the events backend did not finish in time.\n',
      );
      process.exit(1);
    },
    (graceSeconds + CLOSING_SECONDS) * 1000,
  );
  timer.unref();
}

/** Gives the files that were read. */
async function reload(postern: Postern, stdout: Frame['stdout'], log: LogDestination): Promise<readonly string[]> {
  const { newAdminPassword, files } = await postern.reload();
  log.flush();
  stdout.write(passwordBox(newAdminPassword, stdout.isTTY === true));
  return files;
}

/** Node has no datagram sockets of that kind, systemd has a program for it. Nothing waits for it, and nothing depends on it. */
function notifyReady(env: Readonly<Record<string, string | undefined>>): void {
  if (env['NOTIFY_SOCKET'] === undefined) return;
  spawn('systemd-notify', ['--ready', '--status=ready'], { stdio: 'ignore', env })
    .on('error', () => {})
    .unref();
}

/**
 * Tells when to reload the configuration: at SIGHUP, and when the content of one of its files has changed (SPEC 1). Call it
 * before the start: what changes during it is not missed.
 */
export async function watchConfig(files: readonly string[]) {
  let reload: (() => Promise<readonly string[]>) | undefined;
  let hasChanged = false;
  const changed = async (): Promise<void> => {
    hasChanged = !reload;
    if (reload) await watching.watch(await reload());
  };
  const onEvent = (): void => void changed();
  const watching = watchFiles(onEvent);
  const onSignal = (): void => void watching.note().then(changed);
  process.on('SIGHUP', onSignal);
  await watching.watch(files);
  return {
    /** Calls it at each change from here on, and at once if there was one before. It gives the files to watch from then on. */
    onChange(given: () => Promise<readonly string[]>): void {
      reload = given;
      if (hasChanged) onEvent();
    },
    close(): void {
      process.off('SIGHUP', onSignal);
      watching.close();
    },
  };
}

/** Printed last at a start: the addresses, and the admin's first password in a box (interface 2.1). */
export function announcement(postern: Postern, isTerminal: boolean): string {
  const { settings } = postern;
  const { external, internal, telemetry } = postern.addresses;
  const scheme = settings.tls.enabled ? 'https' : 'http';
  const { base_path, public_url } = settings.server;
  const listens = announcedUrl(scheme, external);
  const start = public_url ? publicAddress(public_url, '/') : `${listens}${base_path}/`;
  const lines = [
    '',
    `Postern is ready.`,
    `  log in      ${start}`,
    `  console     ${start}postern/   (users, roles, tokens, status)`,
    ...(public_url ? [`  listens on  ${listens}`] : []),
    ...(internal
      ? [`  internal    ${announcedUrl('http', internal)}/   (no login: every request there is an admin's)`]
      : []),
    ...(telemetry ? [`  telemetry   ${announcedUrl('http', telemetry)}/metrics`] : []),
    ...phoneLine(external, settings),
    '',
  ];
  return `${lines.join('\n')}${passwordBox(postern.newAdminPassword, isTerminal)}`;
}

const ALONE = /^(?:127\.|::1$|localhost$)/;

/** How other devices get in, where this machine alone is answered and no proxy stands in front. */
function phoneLine({ host, port }: ListenAddress, { server, tls, auth }: Settings): readonly string[] {
  if (!ALONE.test(host) || tls.enabled || server.public_url || auth.trusted_proxies.length > 0) return [];
  const lines = `server.external: 0.0.0.0:${port} and tls.enabled: true`;
  return [`  on a phone  set ${lines}, start again, open https://<this machine>:${port}/`];
}

const announcedUrl = (scheme: string, { host, port, path }: ListenAddress): string =>
  path === undefined
    ? `${scheme}://${host === '0.0.0.0' || host === '::' ? 'localhost' : hostInUrl(host)}:${port}`
    : `unix:${path} `;

/** Empty when there is none. It is printed here and nowhere else, whatever the log level. */
function passwordBox(made: Postern['newAdminPassword'], isTerminal: boolean): string {
  if (!made) return '';
  const { user, password, isPasswordOff } = made;
  const text = [
    'The admin account has a new password. It is shown only this once.',
    '',
    `User:      ${user}`,
    `Password:  ${password}`,
    ...(isPasswordOff
      ? [
          '',
          'Password login is off (auth.password_login: none). To get in, open the link of',
          `  postern users invite ${user}`,
        ]
      : []),
  ];
  const width = Math.max(...text.map((line) => line.length));
  const bold = (line: string): string => (isTerminal ? `\u001b[1m${line}\u001b[22m` : line);
  const edge = '*'.repeat(width + 6);
  const rows = text.map((line) => `*  ${bold(line.padEnd(width))}  *`);
  return ['', edge, ...rows, edge].map((line) => `${line}\n`).join('');
}
