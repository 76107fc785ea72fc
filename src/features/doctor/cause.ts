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

/** What was seen, in a sentence. `error`: something does not work, or stands open. `warning`: it works now. `advice`: nothing is wrong, and it could be better. */
export type Sign = Pick<DoctorFinding, 'level' | 'seen'>;

/** A stable name, for programs. */
type CauseName = keyof typeof ADVICE;

/** What to do, whatever the proxy, and the lines to change there. Nginx Proxy Manager takes those of nginx under "Advanced". */
interface Advice {
  readonly advice: string;
  readonly lines?: Readonly<Partial<Record<ProxyKind, string[]>>>;
}

/** The signs of each cause, by its name; none when this is not the cause. */
export type Causes<Seen> = {
  readonly [Name in CauseName]?: (seen: Seen) => readonly (Sign | undefined)[];
};

/** Every sign of each cause, in the order of the table. */
export const judge = <Seen>(causes: Causes<Seen>, seen: Seen, proxy?: ProxyKind): readonly DoctorFinding[] =>
  (Object.keys(causes) as CauseName[]).flatMap((name) =>
    (causes[name]?.(seen) ?? []).flatMap((sign) =>
      sign ? [{ name, ...sign, advice: ADVICE[name].advice, lines: linesFor(name, proxy) }] : [],
    ),
  );

/** The lines to change at the proxy that was found; empty when there are none, or it is not known. */
export function linesFor(name: string, proxy?: ProxyKind): string[] {
  const { lines = {} }: Advice = ADVICE[name as CauseName];
  return (proxy && (lines[proxy] ?? (proxy === 'npm' ? lines.nginx : undefined))) ?? [];
}

const makeSign =
  (level: Sign['level']) =>
  (holds: boolean, seen: string): Sign | undefined =>
    holds ? { level, seen } : undefined;
export const error = makeSign('error');
export const warning = makeSign('warning');
export const advice = makeSign('advice');

/** A header of the answer, its lines joined. */
export const probeHeader = (response: ProbeResponse, name: string): string | undefined =>
  response.kind === 'answered' ? response.headers[name]?.join(', ') : undefined;

/** 0 without an answer. */
export const probeStatus = (response: ProbeResponse): number => (response.kind === 'answered' ? response.status : 0);

/** Whether the answer is a refusal of Postern's, or one that its probes give. */
export const isPosterns = (response: ProbeResponse): boolean =>
  response.kind === 'answered' && /^\s*\{"(?:success":false|service":"postern")/.test(response.body);
