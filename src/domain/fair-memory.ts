/** A memory that holders share: when it is full, the holder that has most in it loses what it has not used for longest. */
export interface FairMemory<Value> {
  get(key: string): Value | undefined;
  /** The key is the holder's from now on. */
  set(holder: string, key: string, value: Value): void;
}

export function createFairMemory<Value>(most: number): FairMemory<Value> {
  /** Each holder's things, those that were used last at the end. */
  const things = new Map<string, Map<string, Value>>();
  const holders = new Map<string, string>();

  const forget = (key: string): void => {
    const holder = holders.get(key) ?? '';
    const own = things.get(holder);
    holders.delete(key);
    own?.delete(key);
    if (own?.size === 0) things.delete(holder);
  };
  const makeRoom = (): void => {
    const [first, ...others] = things.values();
    if (!first) return;
    const fullest = others.reduce((one, other) => (other.size > one.size ? other : one), first);
    const [oldest] = fullest.keys();
    if (oldest !== undefined) forget(oldest);
  };
  const set = (holder: string, key: string, value: Value): void => {
    forget(key);
    if (holders.size >= most) makeRoom();
    const own = things.get(holder) ?? new Map<string, Value>();
    things.set(holder, own.set(key, value));
    holders.set(key, holder);
  };
  return {
    get(key) {
      const holder = holders.get(key) ?? '';
      const value = things.get(holder)?.get(key);
      if (value !== undefined) set(holder, key, value);
      return value;
    },
    set,
  };
}
