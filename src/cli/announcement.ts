/** The text printed last at start: the addresses, and the admin's first password in a box (interface 2.1). */
import type { Postern } from '../app/start.ts';
import type { Settings } from '../config/schema/schema.ts';
import { hostInUrl, type ListenAddress, publicAddress } from '../domain/addresses.ts';

/** Several lines, ending in a line break. */
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
  path === undefined ? `${scheme}://${shownHost(host)}:${port}` : `unix:${path} `;

function shownHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return hostInUrl(host);
}

/** Empty when there is none. It is printed here and nowhere else, whatever the log level. */
export function passwordBox(made: Postern['newAdminPassword'], isTerminal: boolean): string {
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
