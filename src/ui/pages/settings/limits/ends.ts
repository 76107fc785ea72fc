/** Ends of a guest's account that are chosen by one press (SPEC 13). Pure. */

export const END_NAMES = ['tonight', 'sunday', 'week'] as const;

const DAYS_UNTIL: Readonly<Record<(typeof END_NAMES)[number], (weekday: number) => number>> = {
  tonight: () => 0,
  sunday: (weekday) => (7 - weekday) % 7,
  week: () => 7,
};

/** One minute before midnight of that day, by the clock of the viewer; Unix seconds. A week ends at this time of the day. */
export function endOf(name: (typeof END_NAMES)[number], now: Date): number {
  const day = now.getDate() + DAYS_UNTIL[name](now.getDay());
  const [hour, minute] = name === 'week' ? [now.getHours(), now.getMinutes()] : [23, 59];
  return new Date(now.getFullYear(), now.getMonth(), day, hour, minute).getTime() / 1000;
}
