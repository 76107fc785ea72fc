/** Sockets that systemd opened for this process (sd_listen_fds(3)): by name, or in the order of the listeners. */
const FIRST_FD = 3;
const ORDER = ['external', 'internal', 'telemetry'] as const;
export type ActivatedName = (typeof ORDER)[number];

/** File descriptors by listener; none when the variables are for another process. */
export function activatedSockets(
  env: Readonly<Record<string, string | undefined>>,
  pid: number,
): Partial<Readonly<Record<ActivatedName, number>>> {
  const count = Number(env['LISTEN_FDS'] ?? 0);
  if (Number(env['LISTEN_PID']) !== pid || !Number.isSafeInteger(count)) return {};
  const given = (env['LISTEN_FDNAMES'] ?? '').split(':');
  const isNamed = given.some((name) => isListener(name));
  const sockets: Partial<Record<ActivatedName, number>> = {};
  for (let at = 0; at < count; at++) {
    const name = isNamed ? given[at] : ORDER[at];
    if (isListener(name)) sockets[name] ??= FIRST_FD + at;
  }
  return sockets;
}

const isListener = (name: string | undefined): name is ActivatedName =>
  (ORDER as readonly (string | undefined)[]).includes(name);
