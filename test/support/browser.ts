import { type Browser, chromium } from 'playwright-core';

/** A real Chromium that connects to nothing but the pages it is given. */
export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: process.env.HOUMAO_CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
