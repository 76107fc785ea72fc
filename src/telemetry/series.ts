/** Series with closed labels: all are there from the start, and counting is an addition in an array (SPEC 9). */

export interface SeriesSample {
  readonly suffix: '' | '_bucket' | '_sum' | '_count';
  /** The labels as they are exposed: `{result="success"}`, or nothing. */
  readonly labels: string;
  readonly value: number;
}

/** All series of one name. */
export type MetricFamily = ReturnType<typeof createInfo>;

/** A value that is not in the list counts as `other` if the list has it, and is not counted otherwise. */
export type ClosedLabel<Value extends string = string> = readonly [name: string, values: readonly Value[]];
type Labels<A extends string, B extends string, C extends string> = readonly [
  ClosedLabel<A>?,
  ClosedLabel<B>?,
  ClosedLabel<C>?,
];

export interface Counter<A extends string, B extends string, C extends string> extends MetricFamily {
  add(by: number, a?: A, b?: B, c?: C): void;
}

/** How the values of several replicas become one: what each has of its own is added; what all know of one thing is not. */
export type OverReplicas = 'sum' | 'max' | 'min';

export interface Gauge<A extends string, B extends string> extends MetricFamily {
  readonly over: OverReplicas;
  add(by: number, a?: A, b?: B): void;
  /** Undefined: there is nothing to say, and the series is left out. */
  set(value: number | undefined, a?: A, b?: B): void;
  /** Everything anew by the first label; what is not on its list is summed up as `other`. */
  setAll(counts: ReadonlyMap<string, number>): void;
}

export interface Histogram<A extends string, B extends string> extends MetricFamily {
  observe(value: number, a?: A, b?: B): void;
}

export function createCounter<A extends string, B extends string, C extends string>(
  name: string,
  help: string,
  labels: Labels<A, B, C> = [],
): Counter<A, B, C> {
  const { indexOf, texts } = indexed(labels);
  const values = new Float64Array(texts.length);
  return {
    name,
    help,
    type: 'counter',
    add: (by, a, b, c) => addAt(values, indexOf(a, b, c), by),
    samples: () => texts.map((text, at) => ({ suffix: '', labels: text, value: values[at] ?? 0 })),
  };
}

export function createGauge<A extends string, B extends string>(
  over: OverReplicas,
  name: string,
  help: string,
  labels: Labels<A, B, never> = [],
): Gauge<A, B> {
  const { indexOf, texts } = indexed(labels);
  const values = new Float64Array(texts.length);
  const isSet = texts.map(() => true);
  return {
    name,
    help,
    type: 'gauge',
    over,
    add: (by, a, b) => addAt(values, indexOf(a, b), by),
    set(value, a, b) {
      const at = indexOf(a, b);
      if (at < 0) return;
      values[at] = value ?? 0;
      isSet[at] = value !== undefined;
    },
    setAll(counts) {
      values.fill(0);
      for (const [value, count] of counts) addAt(values, indexOf(value), count);
    },
    samples: () =>
      texts
        .map((text, at): SeriesSample => ({ suffix: '', labels: text, value: values[at] ?? 0 }))
        .filter((_, at) => isSet[at]),
  };
}

/** A gauge that is always 1, for what its labels say. */
export function createInfo(name: string, help: string, labels: Readonly<Record<string, string>>) {
  const text = Object.entries(labels).reduce((before, [label, value]) => withLabel(before, label, value), '');
  return { name, help, type: 'gauge', samples: (): Iterable<SeriesSample> => [{ suffix: '', labels: text, value: 1 }] };
}

/** `bounds` are the upper ends of the buckets, ascending, without infinity. */
export function createHistogram<A extends string, B extends string>(
  name: string,
  help: string,
  bounds: readonly number[],
  labels: Labels<A, B, never> = [],
): Histogram<A, B> {
  const { indexOf, texts } = indexed(labels);
  const width = bounds.length + 1;
  const counts = new Float64Array(texts.length * width);
  const sums = new Float64Array(texts.length);
  const bucketTexts = texts.flatMap((text) => [...bounds, '+Inf'].map((bound) => withLabel(text, 'le', String(bound))));
  return {
    name,
    help,
    type: 'histogram',
    observe(value, a, b) {
      const at = indexOf(a, b);
      if (at < 0) return;
      const bucket = bounds.findIndex((bound) => value <= bound);
      addAt(counts, at * width + (bucket < 0 ? bounds.length : bucket), 1);
      addAt(sums, at, value);
    },
    *samples() {
      for (const [at, text] of texts.entries()) {
        let sum = 0;
        for (let bucket = at * width; bucket < (at + 1) * width; bucket += 1) {
          sum += counts[bucket] ?? 0;
          yield { suffix: '_bucket', labels: bucketTexts[bucket] ?? '', value: sum };
        }
        yield { suffix: '_sum', labels: text, value: sums[at] ?? 0 };
        yield { suffix: '_count', labels: text, value: sum };
      }
    },
  };
}

function addAt(values: Float64Array, at: number, by: number): void {
  if (at >= 0) values[at] = (values[at] ?? 0) + by;
}

/** The index of up to three labels; the last one counts fastest. A label that is not declared has none. */
function indexed(given: readonly (ClosedLabel | undefined)[]) {
  const labels = given.filter((label) => label !== undefined);
  const first = toPlaces(labels[0]?.[1]);
  const second = toPlaces(labels[1]?.[1]);
  const third = toPlaces(labels[2]?.[1]);
  const indexOf = (a?: string, b?: string, c?: string): number => {
    const x = findPlace(first, a);
    const y = findPlace(second, b);
    const z = findPlace(third, c);
    return x < 0 || y < 0 || z < 0 ? -1 : (x * second.size + y) * third.size + z;
  };
  return { indexOf, texts: labelTexts(labels) };
}

interface Places {
  readonly size: number;
  readonly of: ReadonlyMap<string | undefined, number>;
  /** The index of a value that is not on the list. */
  readonly other: number;
}

const noPlaces: Places = { size: 1, of: new Map([[undefined, 0]]), other: -1 };

function toPlaces(values: readonly string[] | undefined): Places {
  if (!values) return noPlaces;
  return { size: values.length, of: new Map(values.map((value, at) => [value, at])), other: values.indexOf('other') };
}

const findPlace = (places: Places, value: string | undefined): number => places.of.get(value) ?? places.other;

const labelTexts = (labels: readonly ClosedLabel[]): string[] =>
  labels.reduce<string[]>(
    (texts, [name, values]) => texts.flatMap((text) => values.map((value) => withLabel(text, name, value))),
    [''],
  );

/** `{a="b"}` and a label more. */
const withLabel = (text: string, name: string, value: string): string =>
  `${text === '' ? '{' : `${text.slice(0, -1)},`}${name}="${escaped(value)}"}`;

const escaped = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
