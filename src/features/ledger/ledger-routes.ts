/** `GET /api/ledger` and `GET /api/ledger/days`: what is recorded, as far as the caller may see it (SPEC 14). */
import { z } from 'zod';
import { ANSWERED, type Call, declaring, Refused, respond } from '../../accounts/http/kernel.ts';
import type { Services } from '../../app/services.ts';
import type { Turns } from '../../domain/async.ts';
import { type Caller, isAdministrator } from '../../domain/caller.ts';
import { isLentName, traitsFor } from '../../domain/credentials.ts';
import type { RouteContext } from '../../routes/own-route.ts';
import { named, TEXT } from '../../routes/shapes.ts';
import { ledgerKeys } from './keys.ts';
import {
  cursorText,
  type LedgerQuery,
  QUERY,
  RECORD,
  readLedgerQuery,
  recordJson,
  streamRecords,
} from './ledger-query.ts';
import type { LedgerQuestion, LedgerSight, LedgerStore } from './ledger-store.ts';
import type { LedgerCursor, LedgerDay } from './records.ts';
import type { LocalDay } from './writer.ts';

/** What the records are read by. */
interface OpenRecords {
  readonly records: Pick<LedgerStore, 'find' | 'days'>;
  /** One at a time for each person, who would otherwise have all of them be slow. */
  readonly downloads: Turns;
  readonly localDay: LocalDay;
}
type LedgerServices = OpenRecords & Pick<Services, 'settings' | 'store' | 'clock' | 'visibleCameras'>;

export const DAY_SUM = named(
  'LedgerDay',
  z.object({
    day: TEXT,
    user: TEXT,
    credential: TEXT.optional().meta({
      description: 'What `user` lent, by its kind and id: it showed the pictures to others',
    }),
    minutes: z.number(),
    viewings: z.int(),
    exports: z.int(),
  }),
);

const DEFAULT_LIMIT = 100;
const DEFAULT_DAYS = 30;
const MOST_DAYS = 400;
const DAY = 86_400;

const route = declaring<Services & OpenRecords>();

// biome-ignore format: a table
export const LEDGER_ROUTES = [
  route({ route: 'GET /api/ledger', access: 'any', cameras: ['query:camera'], narrow: 'check', note: "the caller's own records; for an admin all; with ledger.visible_to_viewers the viewings of the caller's cameras",
    summary: "Who watched what, and what was changed, newest first: one's own records; as an admin, all; API tokens of others than admins get 403", query: QUERY, yes: [200, z.array(RECORD)], no: [422, 429], run: list }),
  route({ route: 'GET /api/ledger/days', access: 'any', cameras: ['query:camera'], narrow: 'check', note: 'as above, as sums',
    summary: 'Minutes watched, by person and day', query: QUERY, yes: [200, z.array(DAY_SUM)], no: [422], run: days }),
];

interface LedgerRequest extends Pick<LedgerQuery, 'limit' | 'cursor' | 'format'> {
  readonly question: LedgerQuestion;
}

async function readRequest({ caller, query, ctx }: Call, deps: LedgerServices): Promise<LedgerRequest> {
  if (!mayRead(caller)) throw new Refused(403, 'account-needed', NOT_FOR_TOKENS);
  const read = readLedgerQuery(query, ctx?.get('accept') ?? '');
  if (!read.ok) throw new Refused(422, 'fields-invalid', read.error.join('; '));
  const { limit, cursor, format, kind: kinds, camera, ...asked } = read.value;
  const cameras = camera === undefined ? undefined : [camera];
  return { limit, cursor, format, question: { ...asked, kinds, cameras, sight: await findSight(caller, deps) } };
}

/** A token that leaks must not tell what its owner does, and from where; the tokens of an admin may read all. */
const mayRead = (caller: Caller): boolean => isAdministrator(caller) || traitsFor(caller.credential).isPerson === true;

const NOT_FOR_TOKENS = 'These records belong to a person: log in, or use an API token of an admin for all cameras.';

/** Everybody sees the own records, less those of cameras that are not in the role any more. */
async function findSight(caller: Caller, deps: LedgerServices): Promise<LedgerSight | undefined> {
  if (isAdministrator(caller)) return undefined;
  const { settings, store, visibleCameras, localDay } = deps;
  // Another person may have had the name before.
  const at = settings.auth.enabled ? (await store.accounts.findUser(caller.name))?.createdAt : undefined;
  const ownSince = at === undefined ? undefined : { at, day: localDay(at) };
  const cameras = caller.scope.kind === 'all' ? undefined : await visibleCameras(caller.scope);
  return { own: caller.name, ownSince, cameras, others: ledgerKeys(settings).visible_to_viewers };
}

async function list(call: Call, deps: LedgerServices): Promise<object> {
  const asked = await readRequest(call, deps);
  const { question, format, limit, cursor } = asked;
  if (format !== 'json' && call.ctx) return stream(call.ctx, { ...asked, format }, deps);
  const wanted = limit ?? DEFAULT_LIMIT;
  const found = await deps.records.find(question, wanted, cursor);
  const last = found.at(-1);
  if (last && found.length === wanted) call.ctx?.set('Link', `<${nextPage(call, last)}>; rel="next"`);
  return found.map(recordJson);
}

function nextPage({ query, ctx }: Call, last: LedgerCursor): string {
  const next = new URLSearchParams(query);
  next.set('cursor', cursorText(last));
  return `${ctx?.state.basePath ?? ''}/api/ledger?${next}`;
}

const TYPES = { ndjson: 'application/x-ndjson; charset=utf-8', csv: 'text/csv; charset=utf-8' } as const;
const BUSY = 'A download of the ledger by you is under way: try again when it has ended.';
const RETRY_SECONDS = '10';

function stream(
  ctx: RouteContext,
  asked: LedgerRequest & { readonly format: keyof typeof TYPES },
  { records, downloads }: LedgerServices,
): object {
  const leave = downloads(ctx.state.caller?.name ?? '');
  if (!leave) throw new Refused(429, 'download-running', BUSY, { headers: { 'Retry-After': RETRY_SECONDS } });
  if (asked.format === 'csv') ctx.set('Content-Disposition', 'attachment; filename="ledger.csv"');
  ctx.set('Content-Type', TYPES[asked.format]);
  respond(ctx, 200, streamRecords(asked, records).once('close', leave));
  return ANSWERED;
}

/** What one person, or what a person lent, watched on one day, by the clock of the service; without what still goes on. */
async function days(call: Call, deps: LedgerServices) {
  const { question } = await readRequest(call, deps);
  const { localDay, clock } = deps;
  const before = question.before ?? clock.now() / 1000;
  const after = Math.max(question.after ?? before - DEFAULT_DAYS * DAY, before - MOST_DAYS * DAY);
  const found = await deps.records.days(question, localDay(after), localDay(before));
  const sums = new Map<string, z.output<typeof DAY_SUM>>();
  for (const { day, user, viewer, seconds, records, kind } of found satisfies readonly LedgerDay[]) {
    const lent = isLentName(viewer) ? { credential: viewer } : {};
    const key = JSON.stringify([day, user, lent]);
    const sum = sums.get(key) ?? { day, user, ...lent, minutes: 0, viewings: 0, exports: 0 };
    sum.minutes += seconds / 60;
    if (kind === 'export') sum.exports += records;
    else sum.viewings += records;
    sums.set(key, sum);
  }
  return [...sums.values()]
    .map((sum) => ({ ...sum, minutes: Math.round(sum.minutes * 100) / 100 }))
    .sort((one, other) => (one.day + one.user < other.day + other.user ? -1 : 1));
}
