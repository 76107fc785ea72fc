/** The sentences of the invitation page's script: the server writes them into the page, in the browser's language. */
import type { Strength } from '../shared/account/password-strength.ts';
import type { ServedWords, Words } from '../words/en.ts';

export interface InvitationWords extends FixedWords {
  /** The text after a passkey, when no session has begun. */
  readonly done: string;
}

interface FixedWords {
  readonly strength: Readonly<Record<Strength, string>>;
  /** The texts of the kinds of problems that `webauthn.ts` tells apart. */
  readonly passkeys: Words['passkeys']['problems'];
  readonly differ: string;
  readonly notReached: string;
  readonly passkeyFirst: string;
  readonly orPassword: string;
  readonly doneTitle: string;
  readonly toLogin: string;
}

/** `shortest`: `auth.password_min_length`. */
export function invitationWords(
  { newPassword, passkeys, invitationPage, common }: Words & ServedWords,
  shortest: number,
) {
  const { short, 'own-name': ownName, repeated } = newPassword.faults;
  const faults = { short: short(shortest), 'own-name': ownName(shortest), repeated: repeated(shortest) };
  const words: FixedWords = {
    strength: { ...faults, ...newPassword.strength },
    passkeys: passkeys.problems,
    differ: invitationPage.differ,
    notReached: common.notReached,
    passkeyFirst: invitationPage.passkeyFirst,
    orPassword: invitationPage.orPassword,
    doneTitle: invitationPage.doneTitlePasskey,
    toLogin: invitationPage.toLogin,
  };
  return words;
}
