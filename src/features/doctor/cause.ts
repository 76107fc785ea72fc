/** Doctor's causes: how each is recognised, and what `advice.json` says to change (SPEC 15). Pure. */
import { z } from 'zod';
import { described, TEXT } from '../../routes/shapes.ts';
import ADVICE from './advice.json' with { type: 'json' };
import type { ProxyKind } from './marks.ts';
import type { ProbeResponse } from './send.ts';

export const REPORT = described('Report', {
  url: TEXT.nullable().meta({ description: 'server.public_url; null: only this machine was looked at' }),
  proxy: TEXT.nullable().meta({ description: 'As it says of itself' }),
  findings: z.array(
    z.object({
      name: TEXT,
      level: z.enum(['error', 'warning', 'advice']),
      seen: TEXT,
      advice: TEXT,
      lines: z.array(TEXT).meta({ description: 'To change at the proxy' }),
    }),
  ),
  good: z.array(TEXT).meta({ description: 'Names of what was looked for and not found' }),
  closed: z.array(z.int()).optional().meta({ description: 'Ports at which no NVR answers at the public address' }),
});

export type Report = z.output<typeof REPORT>;
export type DoctorFinding = Report['findings'][number];

/** `error`: something does not work, or stands open. `warning`: it works now. `advice`: nothing is wrong, and it could be better. */
type Level = DoctorFinding['level'];

/** A stable name, for programs. */
type CauseName = keyof typeof ADVICE;

/** What to do, whatever the proxy, and the lines to change there. Nginx Proxy Manager takes those of nginx under "Advanced". */
interface Advice {
  readonly advice: string;
  readonly lines?: Readonly<Partial<Record<ProxyKind, string[]>>>;
}

/** One sign of a cause, which may have several. `look` says what was seen, a sentence each; nothing when this is not the cause. */
export interface Cause<Seen> {
  readonly name: CauseName;
  readonly level: Level;
  readonly look: (seen: Seen) => string | readonly string[] | false | undefined;
}

/** Every sign that is there, in the order of the table. */
export const judge = <Seen>(causes: readonly Cause<Seen>[], seen: Seen, proxy?: ProxyKind): DoctorFinding[] =>
  causes.flatMap(({ name, level, look }) => {
    const { advice } = ADVICE[name];
    return [look(seen) || []].flat().map((said) => ({ name, level, seen: said, advice, lines: linesFor(name, proxy) }));
  });

/** The lines to change at the proxy that was found; empty when there are none, or it is not known. */
export function linesFor(name: string, proxy?: ProxyKind): string[] {
  const { lines = {} }: Advice = ADVICE[name as CauseName];
  return (proxy && (lines[proxy] ?? (proxy === 'npm' ? lines.nginx : undefined))) ?? [];
}

const causeAt =
  (level: Level) =>
  <Seen>(name: CauseName, look: Cause<Seen>['look']): Cause<Seen> => ({ name, level, look });
export const error = causeAt('error');
export const warning = causeAt('warning');
export const advice = causeAt('advice');

/** A header of the answer, its lines joined. */
export const probeHeader = (response: ProbeResponse, name: string): string | undefined =>
  response.kind === 'answered' ? response.headers[name]?.join(', ') : undefined;

/** 0 without an answer. */
export const probeStatus = (response: ProbeResponse): number => (response.kind === 'answered' ? response.status : 0);

/** Whether the answer is a refusal of Postern's, or one that its probes give. */
export const isPosterns = (response: ProbeResponse): boolean =>
  response.kind === 'answered' && /^\s*\{"(?:success":false|service":"postern")/.test(response.body);
