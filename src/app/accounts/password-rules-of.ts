/** The rules for new passwords, as the configuration has them, for the server and the command line alike (SPEC 12). */
import type { PasswordRules } from '../../accounts/passwords/password-rules.ts';
import type { Settings } from '../../config/schema/schema.ts';

export const passwordRulesOf = ({ auth, server }: Settings): PasswordRules => ({
  shortest: auth.password_min_length,
  hostNames: server.internal_hosts,
});
