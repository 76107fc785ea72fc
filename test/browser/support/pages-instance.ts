/** The whole instance with a store of events that is known to the last one, for walking through its pages. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import type { EventRecord } from '../../../src/domain/events/event.ts';
import { openStore } from '../../../src/store/open-store.ts';
import type { Person } from '../../support/people.ts';
import { type ConfigTree, type Runtime, startInstance } from '../../support/start-instance.ts';

/** Names as an attacker, or a child with a keyboard, would give them. */
export const HOSTILE = {
  label: '<img src=x onerror=alert(1)>',
  subLabel: '\u202Egpj.exe',
  zone: '"><script>alert(2)</script>',
} as const;

const PICTURE = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 10"><script>alert(3)</script><rect width="16" height="10"/></svg>',
).toString('base64');

const RECORD: Omit<EventRecord, 'id' | 'start_time'> = {
  label: 'person',
  sub_label: null,
  camera: 'cam1',
  end_time: null,
  false_positive: null,
  zones: [],
  thumbnail: PICTURE,
  has_clip: false,
  has_snapshot: false,
  retain_indefinitely: false,
  plus_id: null,
  model_hash: null,
  detector_type: null,
  model_type: null,
  data: { score: 0.87, type: 'object' },
};

/** So many, a minute apart, without pictures. */
export const manyEvents =
  (count: number) =>
  (now: number): EventRecord[] =>
    Array.from({ length: count }, (_, at) => {
      const start = now - 60 * at;
      return { ...RECORD, id: `${start}-${at}`, start_time: start, end_time: start + 5, thumbnail: null };
    });

/** Newest first: one in progress, one hostile, then 70 cars by turns on cam1 and cam2, ten minutes apart. */
export function pageEvents(now: number): EventRecord[] {
  const cars = Array.from({ length: 70 }, (_, at) => {
    const start = now - 600 * (at + 3);
    const camera = at % 2 === 0 ? 'cam1' : 'cam2';
    return { ...RECORD, id: `${start}-car${at}`, label: 'car', camera, start_time: start, end_time: start + 65 };
  });
  const hostile = {
    ...RECORD,
    id: `${now - 120}-hostile`,
    label: HOSTILE.label,
    sub_label: HOSTILE.subLabel,
    zones: [HOSTILE.zone],
    start_time: now - 120,
    end_time: now - 110,
  };
  return [{ ...RECORD, id: `${now - 60}-person`, sub_label: 'Zoë', start_time: now - 60 }, hostile, ...cars];
}

export async function startPagesInstance(config: ConfigTree = {}, events = pageEvents): Promise<Runtime> {
  const directory = mkdtempSync(join(tmpdir(), 'postern-pages-'));
  const store = await openStore({ url: `sqlite:${join(directory, 'postern.db')}` });
  await store.writeEvents(events(Math.floor(Date.now() / 1000)));
  await store.close();
  const instance = await startInstance({ directory, config });
  const close = async (): Promise<void> => {
    await instance.close();
    rmSync(directory, { recursive: true, force: true });
  };
  return { ...instance, close };
}

export async function logInOnPage(
  page: Page,
  instance: Pick<Runtime, 'url'>,
  person: Pick<Person, 'name' | 'password'>,
  path = '/login',
): Promise<void> {
  await page.goto(`${instance.url}${path}`);
  await page.getByLabel('User').fill(person.name);
  await page.getByLabel('Password', { exact: true }).fill(person.password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.waitForURL((url) => url.pathname !== '/login');
}

/** In by a session of its own, past the login page, which has tests enough. */
export async function enter(page: Page, instance: Runtime, person: Person, path = '/postern/explore'): Promise<void> {
  const value = await instance.logIn(person);
  await page
    .context()
    .addCookies([{ name: 'frigate_token', value, url: instance.url, httpOnly: true, sameSite: 'Lax' }]);
  await page.goto(`${instance.url}${path}`);
}

/** Of so many events, the first page too. */
export const askForPagesOf = (page: Page, limit: number): Promise<unknown> =>
  page.route(/\/api\/events\?.*limit=(?:8|60)\b/, (route) => {
    const url = new URL(route.request().url());
    url.searchParams.set('limit', String(limit));
    return route.continue({ url: url.href });
  });

/** The button of a menu, by what it says: `Camera: Cameras`, in part. */
export const menu = (page: Page, text: string): Locator => page.locator('summary', { hasText: text });
