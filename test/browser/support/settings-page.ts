/** What tests of the settings press and read. */
import type { Locator, Page } from 'playwright-core';
import { ADMIN_PERSON } from '../../support/people.ts';
import type { Runtime } from '../../support/start-instance.ts';
import { enter, menu } from './pages-instance.ts';

/** The record whose name contains the text. */
export const record = (page: Page, name: string): Locator =>
  page.locator('.record').filter({ has: page.locator('.record-name', { hasText: name }) });

/** Presses an act in the menu of a row. */
export const act = async (page: Page, text: string, name: string): Promise<void> => {
  await menu(page, `Actions: ${name}`).click();
  await page.getByRole('button', { name: `${text}: ${name}` }).click();
};

/** Logs a person in and opens a section of the settings, such as `users`. */
export const openSettings = async (
  page: Page,
  instance: Runtime,
  section: string,
  person = ADMIN_PERSON,
): Promise<void> => {
  await enter(page, instance, person, `/postern/settings/${section}`);
  await page.locator('.records-page h1').waitFor();
};

/** Waits until the page tells the text. */
export const said = (page: Page, text: string): Promise<void> => page.getByRole('status').getByText(text).waitFor();
