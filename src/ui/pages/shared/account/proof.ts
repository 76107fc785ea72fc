/** Asks the person for the password or a code again, where the server wants a proof before a dangerous act (SPEC 12). */

type AskProof = () => Promise<boolean>;

let ask: AskProof = async () => false;

/** The one dialog that asks; it resolves with whether the proof was given. */
export function askForProofBy(dialog: AskProof): void {
  ask = dialog;
}

let asked: Promise<boolean> | undefined;

/** Requests that are refused together ask once. */
export function isProven(): Promise<boolean> {
  asked ??= ask().finally(() => {
    asked = undefined;
  });
  return asked;
}
