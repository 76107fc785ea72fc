/** Standard JSON from the text of a writer that emits NaN and Infinity. */

/** Strings are matched to be passed over. */
const STRING_OR_NOT_NUMBER = /"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b/g;
const SUSPICIOUS = /NaN|Infinity/;

/** An old NVR writes such numbers into `data`; they become null. Other text comes back as it is. */
export function plainJson(text: string): string {
  if (!SUSPICIOUS.test(text)) return text;
  return text.replaceAll(STRING_OR_NOT_NUMBER, (match) => (match.startsWith('"') ? match : 'null'));
}
