/** Work in one bounded queue for each person: a flood of one neither drops nor holds up what others wait for. */

export interface PersonQueues<Item> {
  /** False: this person's queue is full. */
  add(person: string, item: Item): boolean;
  /** Resolves when nothing waits. */
  settled(): Promise<void>;
}

/** `most`: items of one person that wait. `work` never rejects. */
export function createPersonQueues<Item>(most: number, work: (item: Item) => Promise<void>): PersonQueues<Item> {
  const queues = new Map<string, { readonly waiting: Item[]; readonly done: Promise<void> }>();
  const run = async (person: string, waiting: Item[]): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
    queues.delete(person);
  };
  return {
    add(person, item) {
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
    async settled() {
      await Promise.all([...queues.values()].map(({ done }) => done));
    },
  };
}
