/** The Chromium of the tests: where it is, and one for all files of a run. */
import { existsSync } from 'node:fs';
import { type Browser, type BrowserServer, chromium } from 'playwright-core';

/** The headless shell takes half the time, for it has no windows. */
const EXECUTABLE = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
  .map((name) => `/usr/bin/${name}`)
  .find(existsSync);

/** For `describe`: why the tests of the pages cannot run here, or false. */
export const skip: string | false = EXECUTABLE ? false : 'there is no Chromium here: install one as /usr/bin/chromium';

const OPTIONS = {
  ...(EXECUTABLE ? { executablePath: EXECUTABLE } : {}),
  args: [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-dev-shm-usage',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    // A host of a LAN: by plain HTTP to it Chromium sends no `Sec-Fetch-*`, as it does to localhost.
    '--host-resolver-rules=MAP nvr.lan 127.0.0.1',
  ],
};

/** Holds the WebSocket URL of the Chromium that `test/support/run-tests.ts` started. A file that is run by hand starts its own. */
export const SHARED = 'POSTERN_TEST_CHROMIUM';

export const startShared = (): Promise<BrowserServer> => chromium.launchServer(OPTIONS);

export function openBrowser(mayShare: boolean): Promise<Browser> {
  const shared = mayShare ? process.env[SHARED] : undefined;
  return shared === undefined ? chromium.launch(OPTIONS) : chromium.connect(shared);
}
