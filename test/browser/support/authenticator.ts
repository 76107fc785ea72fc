/** The virtual authenticator of Chromium. */
import type { CDPSession, Page } from 'playwright-core';

export interface Authenticator {
  readonly cdp: CDPSession;
  readonly authenticatorId: string;
}

export interface PlugInOptions {
  readonly verifies?: boolean;
  /** A virtual authenticator answers the offer in the user field at once, before anything can be pressed. */
  readonly autofill?: boolean;
}

/** As a phone has it: with room for users, and a fingerprint that is always right. */
export async function plugIn(
  page: Page,
  { verifies = true, autofill = false }: PlugInOptions = {},
): Promise<Authenticator> {
  if (!autofill) await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false');
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: verifies,
      isUserVerified: verifies,
      automaticPresenceSimulation: true,
    },
  });
  return { cdp, authenticatorId };
}
