/** The sentences of the invitation page's script: the server writes them into the page, in the browser's language. */
import type { Texts } from '../../../locales/texts.ts';
import type { Strength } from '../shared/account/password-strength.ts';

export interface InvitationWords extends FixedWords {
  /** The text after a passkey, when no session has begun. */
  readonly done: string;
}

interface FixedWords {
  readonly strength: Readonly<Record<Strength, string>>;
  /** The texts of the kinds of problems that `webauthn.ts` tells apart. */
  readonly passkeys: Texts['passkeys']['problems'];
  readonly differ: string;
  readonly notReached: string;
  readonly passkeyFirst: string;
  readonly orPassword: string;
  readonly doneTitle: string;
  readonly toLogin: string;
}

/** `shortest`: `auth.password_min_length`. */
export function invitationWords({ passwords, passkeys, invitations: { page }, ui }: Texts, shortest: number) {
  const { faults, strength } = passwords.rules;
  const words: FixedWords = {
    strength: { ...faults, short: faults.short({ shortest }), ...strength },
    passkeys: passkeys.problems,
    differ: page.differ,
    notReached: ui.common.notReached,
    passkeyFirst: page.passkeyFirst,
    orPassword: page.orPassword,
    doneTitle: page.doneTitlePasskey,
    toLogin: page.toLogin,
  };
  return words;
}
