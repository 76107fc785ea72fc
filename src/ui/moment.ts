/** Moments on the pages that the server makes: `Wednesday, November 15, 2023 at 7:13 AM GMT+9`. */

const MINUTES = {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  timeZoneName: 'short',
} as const;

/** Formats Unix seconds. `tag`: the language. `timeZone`: undefined is that of the machine. */
export function momentsIn(tag: string, timeZone: string | undefined): (seconds: number) => string {
  const format = new Intl.DateTimeFormat(tag, { ...MINUTES, timeZone });
  return (seconds) => format.format(seconds * 1000);
}
