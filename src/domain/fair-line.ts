/** A bounded line in which persons take turns: one person's flood neither pushes out nor holds up what others wait for. */

export interface FairLine<Item> {
  /** Gives what finds no room: of the person with the most items the newest, which may be this one. */
  add(person: string, item: Item): Item | undefined;
  /** The oldest item of the person whose turn it is; undefined when nothing waits. */
  take(): Item | undefined;
}

export function createFairLine<Item>(most: number): FairLine<Item> {
  /** The lines in the order of their turns; each has an item. */
  const lines = new Map<string, Item[]>();
  let size = 0;
  const drop = (person: string): Item | undefined => {
    const line = lines.get(person) ?? [];
    const last = line.pop();
    if (line.length === 0) lines.delete(person);
    size -= 1;
    return last;
  };
  return {
    add(person, item) {
      const own = lines.get(person);
      if (own) own.push(item);
      else lines.set(person, [item]);
      size += 1;
      if (size <= most) return undefined;
      let longest = person;
      for (const [each, line] of lines) if (line.length > (lines.get(longest)?.length ?? 0)) longest = each;
      return drop(longest);
    },
    take() {
      const [next] = lines;
      if (!next) return undefined;
      const [person, line] = next;
      lines.delete(person);
      const item = line.shift();
      if (line.length > 0) lines.set(person, line);
      size -= 1;
      return item;
    },
  };
}
