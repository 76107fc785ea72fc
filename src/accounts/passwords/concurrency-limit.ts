/** Costly work, a few pieces at a time, with a short line in which every client has one place (SPEC 4.1, 4.5). */
import { unlessAborted } from '../../domain/async.ts';

/** The client for which a piece of work is done. */
export interface Waiter {
  readonly client: string;
  /** The network of the client, which may hold a share of the line only. */
  readonly network: string;
  /** Logged in before: waits in a line that strangers cannot fill. */
  readonly isKnown: boolean;
  /** Aborted when the client has left: the wait ends, by rejecting with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Work that the service itself asks for, such as the hash of a new password. */
const SERVICE: Waiter = { client: '', network: '', isKnown: true };
/** The share of a line that one network may hold: forty addresses of one owner leave room for others. */
const SHARE_OF_A_NETWORK = 0.5;

/** `lanes`: pieces of work that run at once. `queue`: clients that may wait, in each of the two lines; and pieces of work of one client. */
export function createConcurrencyLimit({ lanes, queue }: { readonly lanes: number; readonly queue: number }) {
  const known = createLine(queue);
  const strangers = createLine(queue);
  let running = 0;
  let isKnownNext = true;

  /** The two lines take turns, so that neither keeps the other waiting. */
  const next = (): (() => void) | undefined => {
    const [first, second] = isKnownNext ? [known, strangers] : [strangers, known];
    isKnownNext = !isKnownNext;
    return first.take() ?? second.take();
  };
  // The lane goes to the next in line without becoming free in between, so that nothing overtakes.
  const leave = (): void => {
    const start = next();
    if (start) start();
    else running -= 1;
  };

  return {
    /** Pieces of work that wait. */
    waiting: (): number => known.size() + strangers.size(),
    /** The work's own outcome, or `busy` at once when the line is full. */
    async run<Outcome>(work: () => Promise<Outcome>, waiter: Waiter = SERVICE): Promise<Outcome | 'busy'> {
      if (running < lanes) running += 1;
      else {
        const turn = Promise.withResolvers<void>();
        const line = waiter.isKnown ? known : strangers;
        if (!line.add(waiter, turn.resolve)) return 'busy';
        try {
          await unlessAborted(turn.promise, waiter.signal);
        } catch (reason) {
          // A turn that came in the same moment goes on to the next.
          if (!line.remove(turn.resolve)) leave();
          throw reason;
        }
      }
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}

/** Clients in the order of their turns: after one piece of work a client goes to the end of the line. */
function createLine(mostClients: number) {
  const mostOfNetwork = Math.max(1, Math.floor(mostClients * SHARE_OF_A_NETWORK));
  let queue: readonly { readonly waiter: Waiter; readonly start: () => void }[] = [];
  const waiting = (by: 'client' | 'network', name: string) => queue.filter(({ waiter }) => waiter[by] === name);
  const clientsIn = (those: typeof queue): number => new Set(those.map(({ waiter }) => waiter.client)).size;
  return {
    size: () => queue.length,
    /** False when there is no place. */
    add(waiter: Waiter, start: () => void): boolean {
      const own = waiting('client', waiter.client).length;
      const hasPlace =
        own > 0
          ? own < mostClients
          : clientsIn(queue) < mostClients && clientsIn(waiting('network', waiter.network)) < mostOfNetwork;
      if (hasPlace) queue = [...queue, { waiter, start }];
      return hasPlace;
    },
    /** False when its turn has come. */
    remove(start: () => void): boolean {
      const before = queue.length;
      queue = queue.filter((one) => one.start !== start);
      return queue.length < before;
    },
    take(): (() => void) | undefined {
      const [first, ...rest] = queue;
      const isSame = ({ waiter }: { readonly waiter: Waiter }): boolean => waiter.client === first?.waiter.client;
      queue = [...rest.filter((one) => !isSame(one)), ...rest.filter(isSame)];
      return first?.start;
    },
  };
}
