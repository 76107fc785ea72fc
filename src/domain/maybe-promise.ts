/** What is known already, or will be: whoever has not to wait for something goes on at once. */
export type Soon<Value> = Value | Promise<Value>;

/** Most requests are judged from what is remembered. A promise for each step would cost as much as the steps. */
export const whenKnown = <Value, Next>(value: Soon<Value>, next: (value: Value) => Soon<Next>): Soon<Next> =>
  value instanceof Promise ? value.then(next) : next(value);

/** All of them, in their order. */
export const allKnown = <Value>(values: readonly Soon<Value>[]): Soon<readonly Value[]> =>
  values.every(isKnown) ? values : Promise.all(values);

const isKnown = <Value>(value: Soon<Value>): value is Value => !(value instanceof Promise);
