/** Fills the placeholders of a built page: texts, and what only the server knows (SPEC 8). */
import type { Templates } from '../locales/texts.ts';
import { escapeHtml } from './escape-html.ts';

const BLANK = /\{\{(?<name>\w+)\}\}/g;
const CODE = /`(?<code>[^`]+)`/g;

/** `{{name}}` stands in text or in a quoted attribute. A placeholder without a value becomes empty. `tag` is the language. */
export const fillPage = (html: string, tag: string, blanks: Readonly<Record<string, string>>): string =>
  html
    .replace('<html lang="en">', `<html lang="${tag}">`)
    .replace(BLANK, (_, name: string) => (Object.hasOwn(blanks, name) ? (blanks[name] ?? '') : ''));

/** Harmless in text and in quoted attributes. */
export const asText = escapeHtml;

export const asJson = (value: unknown): string => escapeHtml(JSON.stringify(value));

/** Texts of a script that fills in the placeholders itself. */
export function asTemplates<Group extends object>(words: Group): Templates<Group> {
  const values = new Proxy({}, { get: (_, name) => `{${String(name)}}` });
  return Object.fromEntries(
    Object.entries(words).map(([name, text]) => [name, typeof text === 'string' ? text : text(values)]),
  ) as Templates<Group>;
}

/** Own texts, with code between backquotes. */
export function asWords(words: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(words).map(([name, text]) => [name, withCode(text)]));
}

function withCode(text: string): string {
  const parts = text.split(CODE);
  return parts.map((part, at) => (at % 2 === 0 ? escapeHtml(part) : `<code>${escapeHtml(part)}</code>`)).join('');
}
