/** Who must wait at the login: told to admins, and lifted by them, from a page (`/api/status/limits`) or the command line (SPEC 4.5). */

import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Services } from '../../app/services.ts';
import type { BlockKind } from '../../domain/accounts/logins.ts';
import { upTo } from '../../domain/bounded.ts';
import type { Clock } from '../../domain/clock.ts';
import { answer, SUCCESS } from '../../routes/shapes.ts';
import type { LoginBlockStore } from '../../store/accounts/logins.ts';
import type { AttemptStore } from '../../store/engine/engine.ts';
import type { LoginBlock } from '../../store/engine/tables.ts';
import { triedName } from '../audit.ts';
import { createCoalescedWrites } from '../coalesced-writes.ts';
import { LIMIT } from '../http/answers.ts';
import { type Call, declaring, Refused } from '../http/kernel.ts';
import type { Limited, LoginLimiter, Window, Windows } from './login-limiter.ts';

const route = declaring<Services>();

// biome-ignore format: a table
export const LIMIT_ROUTES = [
  route({ route: 'GET /api/status/limits', access: 'admin', who: 'admin', note: 'addresses that must wait, and names that they tried', summary: 'Who must wait at the login', yes: [200, z.array(LIMIT)],
    run: async (_, { blocks }) => (await blocks.list()).map(shown) }),
  route({ route: 'DELETE /api/status/limits/{id}', access: 'admin', who: 'admin', proof: 'credentials', writes: true, note: 'more guesses for that address', summary: 'Lift the limit of an address, a network or an account', yes: [200, SUCCESS], no: [404], act: 'limit-lifted', run: lift }),
];

async function lift({ params, note }: Call, { blocks }: Pick<Services, 'blocks'>): Promise<void> {
  const block = await blocks.lift(params['id'] ?? '');
  if (!block) throw new Refused(404, 'absent', 'There is no such limit: it may be over already');
  note(block.kind === 'pins' ? { linkId: block.subject } : { limited: block.subject });
}

const shown = (block: LoginBlock) =>
  answer(LIMIT, { ...block, since: Math.floor(block.since), until: Math.ceil(block.until) });

export interface LoginBlockSources {
  readonly store: LoginBlockStore;
  /** The windows that replicas share; undefined where one process counts in its own memory. */
  readonly attempts: AttemptStore | undefined;
  readonly clock: Clock;
  readonly steadyClock: Clock;
  readonly onFault: (fault: unknown) => void;
}

/** A lift by another process is felt so soon: the store is asked no more often, however many attempts are refused. */
const LOOK_MS = 1000;
/** A block is in the list of "postern limits" at once; blocks that follow closely are written together. */
const BETWEEN_WRITES_MS = 2000;
const REMEMBERED_BLOCKS = 10_000;
const MOST_NAMES = 5;
/** The seconds to wait are rounded at each refusal. */
const ROUNDING_SECONDS = 2;

type NamedBlock = Pick<LoginBlock, 'id' | 'kind' | 'subject' | 'window'>;

interface NotedBlock {
  readonly names: readonly string[];
  /** 0: it is not limited. */
  readonly until: number;
}

export type LoginBlocks = ReturnType<typeof createLoginBlocks>;

export function createLoginBlocks({ store, attempts, clock, steadyClock, onFault }: LoginBlockSources) {
  const noted = new LRUCache<string, NotedBlock>(upTo(REMEMBERED_BLOCKS));
  const applied = new LRUCache<string, number>(upTo(REMEMBERED_BLOCKS));
  const now = (): number => clock.now() / 1000;
  const writes = createCoalescedWrites<LoginBlock>({
    write: (blocks) => store.noteBlocks(blocks, now()),
    clock,
    onFault,
  });
  let lifts: Promise<ReadonlyMap<string, number>> = Promise.resolve(new Map());
  let readAt = Number.NEGATIVE_INFINITY;
  let writtenAt = Number.NEGATIVE_INFINITY;
  const liftsNow = (): Promise<ReadonlyMap<string, number>> => {
    if (steadyClock.now() - readAt < LOOK_MS) return lifts;
    readAt = steadyClock.now();
    const before = lifts;
    lifts = store.listLifts().catch((fault) => {
      onFault(fault);
      return before;
    });
    return lifts;
  };

  /** Not limited: the name is remembered, should it come to that. */
  const note = (block: NamedBlock, name: string | undefined, limited?: Limited): void => {
    const known = noted.get(block.id) ?? { names: [], until: 0 };
    const isNew = name !== undefined && !known.names.includes(name);
    const names = isNew ? [...known.names, name].slice(-MOST_NAMES) : known.names;
    const since = now();
    const until = limited ? since + limited.retryAfterSeconds : known.until;
    noted.set(block.id, { names, until });
    if (!limited || !(isNew || Math.abs(until - known.until) > ROUNDING_SECONDS)) return;
    writes.noteNews(block.id, () => ({ ...block, names, since, until }));
    if (steadyClock.now() - writtenAt < BETWEEN_WRITES_MS) return;
    writtenAt = steadyClock.now();
    void writes.flush();
  };

  return {
    async list(): Promise<readonly LoginBlock[]> {
      await writes.flush();
      return store.listBlocks(now());
    },
    /** Undefined: there is no such block any more. */
    async lift(id: string): Promise<LoginBlock | undefined> {
      await writes.flush();
      const block = await store.liftBlock(id, now());
      if (block?.window) await attempts?.forget(block.window);
      readAt = Number.NEGATIVE_INFINITY;
      return block;
    },
    /** Writes what waits. */
    close: writes.close,
    /** A limiter whose blocks are told, and which feels when they are lifted. `nameOf`: that of a window in the store; null where it has none. */
    watched(
      limiter: LoginLimiter,
      windows: Windows,
      nameOf: (window: Window, key: string) => string | null,
    ): LoginLimiter {
      const blockOf = (key: string, full: Limited | undefined): NamedBlock => {
        const window = full?.window ?? windows[0];
        const { kind, subject } = window.block(key);
        return { kind, subject, window: nameOf(window, key), id: blockId(kind, kind === 'codes' ? key : subject) };
      };
      const isLifted = async (id: string, key: string, { window }: Limited): Promise<boolean> => {
        const at = (await liftsNow()).get(id);
        if (at === undefined || applied.get(id) === at) return false;
        applied.set(id, at);
        noted.delete(id);
        // Shared windows were emptied by the lift itself; what this process counted of them is of no use.
        limiter.lift(key, attempts ? 0 : Math.max(0, clock.now() - at * 1000), window);
        return true;
      };
      const reserve: LoginLimiter['reserve'] = async (key, isKnown, attempt = {}) => {
        const place = await limiter.reserve(key, isKnown, attempt);
        const name = triedName(attempt.account ?? '');
        if (place.kind === 'busy') return place;
        if (place.kind === 'limited') {
          const block = blockOf(key, place);
          if (await isLifted(block.id, key, place)) return reserve(key, isKnown, attempt);
          note(block, name, place);
          return place;
        }
        const keep = (): void => {
          place.keep();
          const limited = limiter.full(key, isKnown);
          note(blockOf(key, limited), name, limited);
        };
        return { ...place, keep };
      };
      return { ...limiter, reserve };
    },
  };
}

const ID_LENGTH = 22;
const blockId = (kind: BlockKind, text: string): string =>
  createHash('sha256').update(`${kind} ${text}`).digest('base64url').slice(0, ID_LENGTH);
