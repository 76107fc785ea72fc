/** What a Markdown document can be referred to by: its headings as anchors, its section numbers, its links. */
import { readFileSync } from 'node:fs';

const FENCE = /^ {0,3}(?:```|~~~).*?^ {0,3}(?:```|~~~)\s*$/gms;
const CODE = /`[^`\n]*`/g;
const LINK = /!?\[[^\]]*\]\(<?(?<target>[^)\s>]+)>?(?:\s+"[^"]*")?\)/g;
const HEADING = /^#{1,6} +(?<text>.+?) *#*$/;
const NUMBER = /^(?<number>\d+(?:\.\d+)*)\.? /;
const LIST_ITEM = /^(?<number>\d+)\. /;

const withoutFences = (text: string): string => text.replace(FENCE, '');

/** GitHub's rule: lower case, punctuation dropped, blanks as hyphens; a second heading of the same text gets `-1`. */
export function anchorsOf(text: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const line of withoutFences(text).split('\n')) {
    const heading = HEADING.exec(line)?.groups?.['text'];
    if (heading === undefined) continue;
    const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = plain.replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '').replaceAll(' ', '-');
    let anchor = slug;
    for (let copy = 1; anchors.has(anchor); copy += 1) anchor = `${slug}-${copy}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** `5`, `5.5`, and `5.5.7` for the seventh item of the ordered list below the heading `### 5.5`. */
export function numbersOf(text: string): ReadonlySet<string> {
  const numbers = new Set<string>();
  let section = '';
  for (const line of withoutFences(text).split('\n')) {
    const heading = HEADING.exec(line)?.groups?.['text'];
    if (heading !== undefined) {
      section = NUMBER.exec(`${heading} `)?.groups?.['number'] ?? section;
      numbers.add(section);
    }
    const item = LIST_ITEM.exec(line)?.groups?.['number'];
    if (item !== undefined) numbers.add(`${section}.${item}`);
  }
  return numbers;
}

/** The targets of links and pictures, code left out. */
export const linksOf = (text: string): readonly string[] =>
  [...withoutFences(text).replace(CODE, '').matchAll(LINK)].map(({ groups }) => groups?.['target'] ?? '');

export const readText = (file: string): string => readFileSync(file, 'utf8');
