/** The sentences of the invitation page's script: the server writes them into the page, in the browser's language. */
import type { Texts } from '../../../locales/texts.ts';

export type InvitationWords = ReturnType<typeof invitationWords>;

/** `shortest`: `auth.password_min_length`. `done`: the text after a passkey, when no session has begun. */
export function invitationWords(
  { passwords, passkeys, invitations: { page }, ui }: Texts,
  shortest: number,
  done: string,
) {
  const { faults, strength } = passwords.rules;
  return {
    done,
    strength: { ...faults, short: faults.short({ shortest }), ...strength },
    passkeys: passkeys.problems,
    differ: page.differ,
    notReached: ui.common.notReached,
    passkeyFirst: page.passkeyFirst,
    orPassword: page.orPassword,
    doneTitle: page.doneTitlePasskey,
    toLogin: page.toLogin,
  };
}
