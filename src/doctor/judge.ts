/** The table of causes, from what was seen to what is wrong, in the order in which a request goes (SPEC 15). Pure. */
import type { Cause, Level, Lines, ProxyKind } from './cause.ts';
import { FORWARDED_CAUSES } from './causes/forwarded.ts';
import { INSIDE_CAUSES } from './causes/inside.ts';
import { PLACE_CAUSES } from './causes/place.ts';
import { REACH_CAUSES } from './causes/reach.ts';
import { REQUEST_CAUSES } from './causes/request.ts';
import { RESPONSE_CAUSES } from './causes/response.ts';
import type { InsideSeen, Observations } from './observations.ts';
import { PROXY_LINES } from './proxy-lines.ts';

export interface DoctorFinding {
  readonly name: string;
  readonly level: Level;
  /** What was seen. */
  readonly seen: string;
  readonly advice: string;
  /** The lines to change at the proxy that was found; empty when there is none, or it is not known. */
  readonly lines: readonly string[];
}

export const CAUSES: readonly Cause[] = [
  ...REACH_CAUSES,
  ...PLACE_CAUSES,
  ...FORWARDED_CAUSES,
  ...REQUEST_CAUSES,
  ...RESPONSE_CAUSES,
];

export function judge(seen: Observations, proxy: ProxyKind | undefined): readonly DoctorFinding[] {
  const findings: DoctorFinding[] = [];
  let isOver = false;
  for (const cause of CAUSES) {
    const sign = isOver && !PLACE_CAUSES.includes(cause) ? undefined : cause.sign(seen);
    if (sign === undefined) continue;
    const { name, level, advice } = cause;
    findings.push({ name, level, seen: sign, advice, lines: linesFor(cause, proxy) });
    isOver ||= cause.isLast === true;
  }
  return findings;
}

export const judgeInside = (inside: InsideSeen): readonly DoctorFinding[] =>
  INSIDE_CAUSES.flatMap(({ name, level, advice, signs }) =>
    signs(inside).map((seen) => ({ name, level, seen, advice, lines: [] })),
  );

/** Nginx Proxy Manager takes nginx's own lines under "Advanced". */
export const linesFor = ({ name, lines: known }: Cause, proxy: ProxyKind | undefined): readonly string[] => {
  if (proxy === undefined) return [];
  const lines: Lines = { ...known, ...PROXY_LINES[name] };
  return lines[proxy] ?? (proxy === 'npm' ? lines.nginx : undefined) ?? [];
};
