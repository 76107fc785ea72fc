/** Tells systemd that the service is ready, where it waits for that (`Type=notify`, sd_notify(3)). */
import { spawn } from 'node:child_process';

/** Node has no datagram sockets of that kind, systemd has a program for it. Nothing waits for it, and nothing depends on it. */
export function notifyReady(env: Readonly<Record<string, string | undefined>>): void {
  if (env['NOTIFY_SOCKET'] === undefined) return;
  spawn('systemd-notify', ['--ready', '--status=ready'], { stdio: 'ignore', env })
    .on('error', () => {})
    .unref();
}
