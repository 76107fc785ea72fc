/** The rules for new passwords, as the configuration has them, for the server and the command line alike (SPEC 12). */
import { isIP } from 'node:net';
import type { PasswordRules } from '../../accounts/passwords/password-rules.ts';
import type { Settings } from '../../config/schema/schema.ts';

export const passwordRulesOf = ({ auth, server }: Settings): PasswordRules => ({
  shortest: auth.password_min_length,
  hostNames: [...server.internal_hosts, ...publicNames(server)],
});

/** A part of an IP address is no word: 192 may stand in a password. */
function publicNames({ public_url }: Settings['server']): readonly string[] {
  const name = public_url?.hostname;
  return name === undefined || isIP(name) !== 0 || name.startsWith('[') ? [] : [name];
}
