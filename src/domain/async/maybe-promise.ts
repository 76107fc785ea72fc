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
