/** Explore on a slow line: when the first rows and the plot are there, how much is moved, how many bytes that takes. */
import { loadavg } from 'node:os';
import { type CDPSession, chromium, type Page } from 'playwright-core';
import type { EventRecord } from '../src/domain/events/event.ts';
import { enter, startPagesInstance } from '../test/browser/support/pages-instance.ts';
import { ADMIN_PERSON } from '../test/support/people.ts';
import { createRandom } from './random.ts';

const EVENTS = 14_000;
const CAMERAS = [12, 40];
const BYTES_PER_SECOND = 1_000_000 / 8;
/** There and back. */
const LATENCY_MILLISECONDS = 300;
/** `SLOWER=1` for a machine that has other work to do. */
const TIMES_SLOWER = Number(process.env['SLOWER'] ?? 4);
const SPAN_SECONDS = 9 * 86_400;
/** A small JPEG, as an NVR keeps one with each event. */
const PICTURE_BYTES = 3000;

/** Seconds, and shares of the window. */
interface Figures {
  readonly rows: number;
  readonly plot: number;
  readonly shift: number;
  readonly kilobytes: number;
}

export const benchmark = {
  title: `${EVENTS} events over a line of 1 Mbit/s and ${LATENCY_MILLISECONDS} ms, a processor ${TIMES_SLOWER} times slower`,
  async run(): Promise<void> {
    const browser = await chromium.launch({
      executablePath: '/usr/bin/chromium',
      args: ['--headless', '--no-sandbox'],
    });
    try {
      for (const cameras of CAMERAS) {
        const names = Array.from({ length: cameras }, (_, at) => `camera_${at + 1}`);
        const instance = await startPagesInstance({ nvr: { cameras: names } }, (now) => eventsOf(names, now));
        for (const [screen, viewport] of Object.entries(SCREENS)) {
          const context = await browser.newContext({ viewport, locale: 'en-GB', timezoneId: 'Europe/Berlin' });
          const page = await context.newPage();
          const figures = await measured(page, () => enter(page, instance, ADMIN_PERSON));
          console.log(`${cameras} cameras, ${screen}: ${told(figures)}; load ${loadavg()[0]?.toFixed(1)}`);
          await context.close();
        }
        await instance.close();
      }
    } finally {
      await browser.close();
    }
  },
};

const SCREENS = { desktop: { width: 1440, height: 900 }, phone: { width: 360, height: 800 } };

const told = ({ rows, plot, shift, kilobytes }: Figures): string =>
  `first rows ${rows.toFixed(2)} s, plot ${plot.toFixed(2)} s, layout shift ${shift.toFixed(4)}, ${kilobytes.toFixed(0)} kB until then`;

async function measured(page: Page, open: () => Promise<void>): Promise<Figures> {
  await page.addInitScript(WATCH);
  const session = await page.context().newCDPSession(page);
  await throttle(session);
  let bytes = 0;
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await open();
  for (const first of ['.event', '.plot-area path'])
    await page.locator(first).first().waitFor({ timeout: 120_000, state: 'attached' });
  const kilobytes = bytes / 1000;
  await page.waitForTimeout(3000);
  await page.mouse.move(500, 300);
  const seen = (await page.evaluate('watched')) as { rows: number; plot: number; shift: number };
  return { rows: seen.rows / 1000, plot: seen.plot / 1000, shift: seen.shift, kilobytes };
}

async function throttle(session: CDPSession): Promise<void> {
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: LATENCY_MILLISECONDS,
    downloadThroughput: BYTES_PER_SECOND,
    uploadThroughput: BYTES_PER_SECOND,
  });
  await session.send('Emulation.setCPUThrottlingRate', { rate: TIMES_SLOWER });
}

/** In the page: milliseconds since the navigation. */
const WATCH = `
  globalThis.watched = { shift: 0 };
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) watched.shift += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });
  new MutationObserver(() => requestAnimationFrame(() => {
    if (document.querySelector('.event')) watched.rows ??= performance.now();
    if (document.querySelector('.plot-area path')) watched.plot ??= performance.now();
  })).observe(document, { subtree: true, childList: true });
`;

const FINE = 2 ** 24;

/** Some cameras see much more than others, and nights less than days. */
export function eventsOf(cameras: readonly string[], now: number): EventRecord[] {
  const { below } = createRandom(21);
  const random = (): number => below(FINE) / FINE;
  return Array.from({ length: EVENTS }, (_, at): EventRecord => {
    const start = now - Math.floor(random() ** 0.9 * SPAN_SECONDS);
    const camera = cameras[Math.floor(random() ** 2 * cameras.length)] ?? '';
    return {
      id: `${start}.5-${at}`,
      label: ['person', 'car', 'dog', 'cat'][Math.floor(random() ** 2 * 4)] ?? 'person',
      sub_label: random() < 0.1 ? 'Alice' : null,
      camera,
      start_time: start,
      end_time: start + 5 + Math.floor(random() * 60),
      false_positive: false,
      zones: random() < 0.5 ? ['driveway'] : [],
      thumbnail: pictureOf(random),
      has_clip: true,
      has_snapshot: true,
      retain_indefinitely: false,
      plus_id: null,
      model_hash: null,
      detector_type: 'cpu',
      model_type: 'ssd',
      data: { score: 0.5 + random() / 2, type: 'object', box: [0.1, 0.2, 0.3, 0.4], region: [0, 0, 0.5, 0.5] },
    };
  });
}

/** Bytes that begin as a JPEG does and compress no better than one. */
const pictureOf = (random: () => number): string =>
  Buffer.from([
    0xff,
    0xd8,
    0xff,
    0xe0,
    ...Array.from({ length: PICTURE_BYTES }, () => Math.floor(random() * 256)),
  ]).toString('base64');
