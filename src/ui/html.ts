/** Markup in which whatever is not markup is escaped, and the pages that are complete in themselves (SPEC 5, 8, 12, 13, 16, 18). */
import type { Templates } from '../locales/texts.ts';

class Markup {
  readonly markup: string;
  constructor(markup: string) {
    this.markup = markup;
  }
}

/** Only `html` makes one: a text is never markup. */
export type Html = Markup;

type Value = string | number | Html | undefined | false | readonly (Html | undefined)[];

// biome-ignore format: a table
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;', '`': '&#96;',
};

/** Control characters have no meaning in a sentence, and NUL is not allowed in HTML. */
const CONTROL_CHARACTERS = /[^\P{Cc}\t\n]/gu;

/** Harmless in content and in quoted attributes alike: an attribute without quotes is never filled in. */
const escaped = (text: string): string =>
  text.replace(CONTROL_CHARACTERS, '\uFFFD').replace(/[&<>"'`]/g, (character) => ENTITIES[character] ?? '');

function toMarkup(value: Value): string {
  if (value === undefined || value === false) return '';
  if (value instanceof Markup) return value.markup;
  if (Array.isArray(value)) return value.map(toMarkup).join('');
  return escaped(String(value));
}

export const html = (texts: TemplateStringsArray, ...values: readonly Value[]): Html =>
  new Markup(texts.map((text, at) => text + toMarkup(values[at])).join(''));

/** A sentence with markup in the place of its values. */
export function toHtml<Values>(
  say: (values: Values) => string,
  values: { readonly [Name in keyof Values]: Html },
): Html {
  const places: Readonly<Record<string, Html>> = values;
  const parts = say(PLACES as Values).split(/\{(\w+)\}/);
  return html`${parts.map((part, at) => (at % 2 === 0 ? html`${part}` : (places[part] ?? html``)))}`;
}

/** Each value stands for itself: `{name}`. */
const PLACES: object = new Proxy({}, { get: (_, name) => `{${String(name)}}` });

/** Texts of a script that fills in the placeholders itself. */
export const asTemplates = <Group extends object>(words: Group): Templates<Group> =>
  Object.fromEntries(
    Object.entries(words).map(([name, text]) => [name, typeof text === 'string' ? text : text(PLACES)]),
  ) as Templates<Group>;

const CODE = /`(?<code>[^`]+)`/g;

/** Own texts, with code between backquotes. */
export const asWords = (words: Readonly<Record<string, string>>): Record<string, Html> =>
  Object.fromEntries(
    Object.entries(words).map(([name, text]) => [
      name,
      html`${text.split(CODE).map((part, at) => (at % 2 === 0 ? html`${part}` : html`<code>${part}</code>`))}`,
    ]),
  );

const BLANK = /\{\{(?<name>\w+)\}\}/g;

/** Fills the placeholders of a built page: `{{name}}` stands in text or in a quoted attribute; one without a value becomes empty. */
export const fillPage = (page: string, tag: string, blanks: Readonly<Record<string, string | Html>>): string =>
  page
    .replace('<html lang="en">', `<html lang="${tag}">`)
    .replace(BLANK, (_, name: string) => (Object.hasOwn(blanks, name) ? toMarkup(blanks[name]) : ''));

type LonePage = { readonly [Part in 'head' | 'body']: Html } & Pick<CardPage, 'tag' | 'title' | 'robots'>;

/** Complete without the built pages, and with nothing inline: no script, no style. `head`: lines beside the common ones. */
export const lonePage = ({ tag, title, robots = 'noindex', head, body }: LonePage): string =>
  html`<!doctype html>
<html lang="${tag}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="${robots}">
<title>${title}</title>
<link rel="icon" href="data:,">
${head}</head>
${body}
</html>
`.markup;

/** `path`: from the root of the host, base path included; undefined when the pages are not built. */
export const stylesheetLink = (path: string | undefined): Html =>
  html`${path !== undefined && html`<link rel="stylesheet" href="${path}">\n`}`;

export interface CardPage {
  /** BCP 47. */
  readonly tag: string;
  readonly title: string;
  /** `ui.name`. */
  readonly name: string;
  readonly robots?: string | undefined;
  readonly stylesheet: string | undefined;
  /** The path of a script that the page can do without. Before the first paint: it sets a theme that was chosen by hand. */
  readonly script?: string | undefined;
  /** Lines of the head by which a messenger shows the address. */
  readonly preview?: Html;
  readonly isShared?: boolean;
  readonly card: Html;
}

/** A page with one card. */
export const cardPage = ({ tag, title, name, robots, stylesheet, script, preview, isShared, card }: CardPage): string =>
  lonePage({
    tag,
    title: `${title} · ${name}`,
    robots,
    head: html`${preview}${stylesheetLink(stylesheet)}${script !== undefined && html`<script blocking="render" type="module" src="${script}"></script>\n`}`,
    body: html`<body class="lone">
<main class="lone-card${isShared && ' shared'}">
${card}</main>
</body>`,
  });

export const paragraph = (sentence: string | Html): Html => html`<p class="refusal-message">${sentence}</p>\n`;
export const buttonTo = (address: string, text: string): Html => html`<a class="button" href="${address}">${text}</a>`;
