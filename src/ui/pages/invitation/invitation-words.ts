/** The sentences of the invitation page's script: the server writes them into the page, in the browser's language. */
import type { ProblemTexts, ServerTexts, Templates } from '../../../locales/texts.ts';

export type InvitationWords = ReturnType<typeof invitationWords>;

/** Reasons for which a passkey may be refused. */
const OF_PASSKEYS = /^(?:passkey|factor|invitation)|^(?:busy|rate-limited)$/;

/** `problems`: as templates. `shortest`: `auth.password_min_length`. */
export function invitationWords(
  { passwords, passkeys, invitations: { page }, ui }: ServerTexts,
  problems: Templates<ProblemTexts>,
  shortest: number,
) {
  const { faults, strength } = passwords.rules;
  const { show, hide, showPassword, hidePassword } = ui.common;
  const ofPasskeys = Object.entries(problems).filter(([reason]) => OF_PASSKEYS.test(reason));
  return {
    strength: { ...faults, short: faults.short({ shortest }), ...strength },
    passkeys: passkeys.problems,
    reveal: { show, hide, showPassword, hidePassword },
    differ: page.differ,
    notReached: ui.common.notReached,
    status: ui.common.status({ status: '{status}' }),
    problems: Object.fromEntries(ofPasskeys),
    passkeyFirst: page.passkeyFirst,
    orPassword: page.orPassword,
  };
}
