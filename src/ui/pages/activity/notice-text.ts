/** What was unusual, as a sentence in the language of the page (SPEC 14). */
import { type Fields, numberOf } from '../shared/fields.ts';
import { words } from '../shared/words.ts';

/** Undefined for a notice that this page does not know. Numbers come as texts, hours by the clock of the service. */
export function noticeText(detail: Fields): string | undefined {
  const text = words.activity.notices;
  const number = (name: string): number => numberOf(Number(detail[name])) ?? 0;
  switch (detail['what']) {
    case 'unusual-hour':
      return text['unusual-hour'](number('hour'));
    case 'unusual-camera':
      return text['unusual-camera'];
    case 'many-minutes':
      return text['many-minutes'](number('minutes'), number('usual'));
    case 'many-exports':
      return text['many-exports'](number('exports'), number('usual'));
    default:
      return undefined;
  }
}
