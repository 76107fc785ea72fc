/** Outside text made harmless for HTML, in element content and in quoted attributes alike. */

// biome-ignore format: a table
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;', '`': '&#96;',
};

/** Control characters are dropped: they have no meaning in a sentence, and NUL is not allowed in HTML. */
const CONTROL_CHARACTERS = /[^\P{Cc}\t\n]/gu;

export const escapeHtml = (text: string): string =>
  text.replace(CONTROL_CHARACTERS, '\uFFFD').replace(/[&<>"'`]/g, (character) => ENTITIES[character] ?? '');
