/** Values that may come later, and work in turns: bounded queues, bounded shares, limits of time, the end of a request. */

export type TaskQueue = ReturnType<typeof createTaskQueue>;

export function createTaskQueue(atOnce: number) {
  const waiting: (() => void)[] = [];
  let running = 0;
  /** The turn passes to the next caller without becoming free in between, so that nothing overtakes. */
  const leave = (): void => {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  };
  return {
    /** Callers that wait for their turn. */
    waiting: (): number => waiting.length,
    /** Resolves when it is the caller's turn, with the way to end the turn; ending it twice does no harm. */
    async enter(): Promise<() => void> {
      if (running < atOnce) running += 1;
      else await new Promise<void>((resolve) => void waiting.push(resolve));
      let isOver = false;
      return () => {
        if (!isOver) leave();
        isOver = true;
      };
    },
  };
}

/** A value or a promise of it, so that a known value is used without waiting for a turn of the event loop. */
export type MaybePromise<Value> = Value | Promise<Value>;

/** Most requests are judged from what is remembered. A promise for each step would cost as much as the steps. */
export const mapMaybe = <Value, Next>(
  value: MaybePromise<Value>,
  next: (value: Value) => MaybePromise<Next>,
): MaybePromise<Next> => (value instanceof Promise ? value.then(next) : next(value));

/** All of them, in their order. */
export const allMaybe = <Value>(values: readonly MaybePromise<Value>[]): MaybePromise<readonly Value[]> =>
  values.every(isKnown) ? values : Promise.all(values);

const isKnown = <Value>(value: MaybePromise<Value>): value is Value => !(value instanceof Promise);

/** What `waited` becomes, or what `late` gives or throws after so many milliseconds: then nothing comes of `waited`. */
export async function withTimeLimit<Value, Late>(
  waited: Promise<Value>,
  milliseconds: number,
  late: () => Late,
): Promise<Value | Late> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, milliseconds);
  try {
    return await Promise.race([waited, over.promise.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}

/** The work, once at a time: a call while it is under way gives what that run becomes. */
export function sharedRun<Value>(work: () => Promise<Value>) {
  let running: Promise<Value> | undefined;
  const run = (): Promise<Value> =>
    (running ??= work().finally(() => {
      running = undefined;
    }));
  return Object.assign(run, { underWay: () => running });
}

/**
 * Work that comes again: `work` resolves with the milliseconds until its next time, or with anything else where it has none. One
 * at a time; no pause keeps the process running. `work` never rejects.
 */
export function repeated(work: () => Promise<unknown>) {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let isUnderWay = false;
  let wished: number | undefined;
  let isClosed = false;
  const run = async (): Promise<void> => {
    clearTimeout(timer);
    [timer, wished, isUnderWay] = [undefined, undefined, true];
    const pause = await work();
    isUnderWay = false;
    const next = typeof pause === 'number' ? pause : wished;
    if (next !== undefined) after(next);
  };
  const now = (): Promise<void> => {
    running = running.then(run);
    return running;
  };
  /** Where a time is set already, that one holds. While the work is under way it counts from its end, and a pause of the work holds. */
  const after = (milliseconds: number): void => {
    if (isClosed) return;
    if (isUnderWay) wished ??= milliseconds;
    else timer ??= setTimeout(now, milliseconds).unref();
  };
  return {
    now,
    after,
    /** Resolves when what is under way has ended. */
    close(): Promise<void> {
      isClosed = true;
      clearTimeout(timer);
      return running;
    },
  };
}

export type Turns = ReturnType<typeof oneAtATime>;

/** One piece of work at a time under each key: gives what to call at its end, or undefined while another one is under way. */
export function oneAtATime() {
  const running = new Set<string>();
  return (key: string): (() => void) | undefined => {
    if (running.has(key)) return undefined;
    running.add(key);
    return () => void running.delete(key);
  };
}

/** Rejects with the signal's reason as soon as it is aborted; what `waited` becomes is then ignored. */
export async function unlessAborted<Value>(waited: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (!signal) return waited;
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([waited, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Many questions to one NVR, a few at a time, so that one client's request does not occupy it. */
const AT_ONCE = 4;

/** The answers in the order of the questions. Rejects with the first failure, and asks no more then. */
export async function askInTurns<Question, Result>(
  questions: readonly Question[],
  ask: (question: Question) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < questions.length; at += AT_ONCE) {
    results.push(...(await Promise.all(questions.slice(at, at + AT_ONCE).map(ask))));
  }
  return results;
}

/**
 * Work in one bounded queue for each person: a flood of one neither drops nor holds up what others wait for. `most`: items of one
 * person that wait. `work` never rejects.
 */
export function createPersonQueues<Item>(most: number, work: (item: Item) => Promise<void>) {
  const queues = new Map<string, { readonly waiting: Item[]; readonly done: Promise<void> }>();
  const run = async (person: string, waiting: Item[]): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
    queues.delete(person);
  };
  return {
    /** False: this person's queue is full. */
    add(person: string, item: Item): boolean {
      const queue = queues.get(person);
      if (!queue) {
        const waiting = [item];
        queues.set(person, { waiting, done: run(person, waiting) });
        return true;
      }
      const hasRoom = queue.waiting.length < most;
      if (hasRoom) queue.waiting.push(item);
      return hasRoom;
    },
    /** Resolves when nothing waits. */
    async settled(): Promise<void> {
      await Promise.all([...queues.values()].map(({ done }) => done));
    },
  };
}

/** No more than `most` is taken under the key at a time. */
export type Bound = readonly [key: string, most: number];

/**
 * Whose share of any such resource something is taken from: keys, each with the part of one caller's share that may be taken under
 * it. Empty where nothing names the caller.
 */
export type Sharer = readonly (readonly [key: string, part: number])[];

/** `ofCaller`: how much one caller may have. */
export const boundsOf = (sharer: Sharer, ofCaller: number): Bound[] =>
  sharer.map(([key, part]) => [key, ofCaller * part]);

export interface Hold {
  /** False where one key has no room for so much more: then nothing is taken. */
  take(amount?: number): boolean;
  /** Gives all of it back; may be called more than once. */
  release(): void;
}

export function createShares() {
  const taken = new Map<string, number>();
  const takenBy = (key: string): number => taken.get(key) ?? 0;
  const add = (bounds: readonly Bound[], amount: number): void => {
    for (const [key] of bounds) {
      const sum = takenBy(key) + amount;
      if (sum > 0) taken.set(key, sum);
      else taken.delete(key);
    }
  };
  return {
    taken: takenBy,
    /** Keys under which something is taken. */
    size: (): number => taken.size,
    /** What one piece of work takes, under all keys alike. Nothing is taken yet. */
    hold(bounds: readonly Bound[]): Hold {
      let own = 0;
      return {
        take(amount = 1) {
          if (bounds.some(([key, most]) => takenBy(key) + amount > most)) return false;
          add(bounds, amount);
          own += amount;
          return true;
        },
        release() {
          add(bounds, -own);
          own = 0;
        },
      };
    },
  };
}

/** The end of a request, however it ends: what was taken for it is given back there, also what is taken behind an await. */
export class Ending {
  #gives: (() => void)[] | undefined = [];

  get isOver(): boolean {
    return this.#gives === undefined;
  }

  /** Calls `give` at the end; at once where the end has been, for its event comes no second time. */
  defer(give: () => void): void {
    if (this.#gives) this.#gives.push(give);
    else give();
  }

  /** Only the first call counts. */
  end(): void {
    const gives = this.#gives ?? [];
    this.#gives = undefined;
    for (const give of gives) give();
  }
}
