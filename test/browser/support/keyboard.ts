/** Buttons by keyboard, as a person without a mouse comes to them. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';

/** By the Tab key alone. */
async function focusOn(page: Page, name: string): Promise<void> {
  for (let tabs = 0; tabs < 60; tabs += 1) {
    const text = 'document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent.trim()';
    if ((await page.evaluate(text)) === name) return;
    await page.keyboard.press('Tab');
  }
  assert.fail(`the focus does not come to ${name}`);
}

/** Presses a button by keyboard. */
export async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).waitFor();
  await focusOn(page, name);
  await page.keyboard.press('Enter');
}

/** Types into a field what is to stand there alone. The page may be drawn anew in the middle of a word: then it is typed again. */
export async function retype(page: Page, label: string, text: string): Promise<void> {
  const field = page.getByLabel(label, { exact: true });
  for (let tries = 0; tries < 5; tries += 1) {
    await field.focus();
    await page.keyboard.press('Control+A');
    await page.keyboard.type(text);
    if ((await field.inputValue()) === text) return;
  }
  assert.fail(`${label} does not become ${text}`);
}
