/** What an instance tells a scraper, as series and their values. */

export type Series = ReadonlyMap<string, number>;

/** `postern_logins_total{result="success"}` and its value. */
export async function scrape(telemetryUrl: string): Promise<Series> {
  return seriesIn(await textOf(telemetryUrl));
}

export async function textOf(telemetryUrl: string, accept = ''): Promise<string> {
  const answer = await fetch(`${telemetryUrl}/metrics`, { headers: { accept } });
  return answer.text();
}

const SAMPLE = /^(?<series>[a-z0-9_]+(?:\{.*\})?) (?<value>\S+)$/;

export function seriesIn(text: string): Series {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const { series = line, value = '' } = SAMPLE.exec(line)?.groups ?? {};
      return [series, Number(value)];
    }),
  );
}

/** Series that moved, and by how much; those of durations, sizes and the process are no part of it. */
export function moved(before: Series, after: Series, ignored: RegExp): Record<string, number> {
  const changes: [string, number][] = [];
  for (const [series, value] of after) {
    const by = value - (before.get(series) ?? 0);
    if (by !== 0 && !ignored.test(series)) changes.push([series, by]);
  }
  return Object.fromEntries(changes);
}
