/** Activity: who watched what, and what was changed; people see their own records, an admin the records of all (SPEC 14). */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { useSearchParams } from 'wouter-preact';
import { isAdmin, useProfile, useSites } from '../../../ui/pages/shared/account.ts';
import { isOutage, useFetched, useList, valueOr } from '../../../ui/pages/shared/api.ts';
import { baseUrl } from '../../../ui/pages/shared/browser.ts';
import { type Options, SelectField } from '../../../ui/pages/shared/fields.tsx';
import { Button, Stale, usePageTitle } from '../../../ui/pages/shared/parts.tsx';
import { RecordsPage } from '../../../ui/pages/shared/records-page.tsx';
import { recordsIn } from '../../../ui/pages/shared/untrusted.ts';
import { cameraName, suggested, words } from '../../../ui/pages/shared/words.ts';
import {
  type ActivityFilter,
  type ActivityRecord,
  type CredentialNames,
  filterSearch,
  GROUPS,
  hasMinutes,
  type Named,
  namesIn,
  namesInRecords,
  RANGES,
  readFilter,
  toQuery,
  toSpan,
  type Viewed,
  viewerOf,
  viewerText,
  viewingsQuery,
  type WatchedDay,
} from './activity-records.ts';
import { ActivityTable, type ActivityTableProps } from './activity-table.tsx';
import { WatchedPlot } from './watched-plot.tsx';

export function Activity() {
  const [search, setSearch] = useSearchParams();
  const filter = readFilter(search);
  const setFilter = (wanted: ActivityFilter): void => setSearch(filterSearch(wanted));
  const span = useMemo(() => toSpan(filter.range, new Date()), [filter.range]);
  const query = toQuery(filter, span);
  const { fetched, more, again } = useRecords(`api/ledger?${query}`);
  const [days] = useFetched(`api/ledger/days?${toQuery({ ...filter, group: 'all' }, span)}`, recordsIn<WatchedDay>);
  const { records: all } = valueOr(fetched, NOTHING);
  const names = new Map([...useCredentialNames(), ...namesInRecords(all)]);
  // What a person has lent to others is not what the person saw.
  const isChosen = (one: Viewed): boolean => filter.user === '' || viewerOf(one) === filter.user;
  const records = all.filter(isChosen);
  const known = valueOr(days, []).filter(isChosen);
  const makers = new Map([...known, ...records].map((one) => [viewerOf(one), one.user]));
  const shown = (viewer: string): string => viewerText(viewer, makers.get(viewer), names);
  const onUser = (user: string): void => setFilter(viewingsQuery({ user }, filter));
  const onCamera = (camera: string): void => setFilter(viewingsQuery({ camera }, filter));
  const text = words.ledger;
  usePageTitle(text.title);
  return (
    <div class="activity">
      <RecordsPage
        title={text.title}
        lead={isAdmin(useProfile()) ? text.leadAdmin : text.lead}
        // The plot comes with the table: it takes its place only where cameras were watched.
        fetched={[days.kind === 'loading' ? days : fetched, again]}
        beside={
          <a class="button" href={new URL(`api/ledger?${query}&format=csv`, baseUrl).href} download="ledger.csv">
            {text.csv}
          </a>
        }
      >
        {() => (
          <>
            <FilterForm filter={filter} users={known.map(viewerOf)} shown={shown} onChange={setFilter} />
            {hasMinutes(filter) && known.length > 0 && (
              <WatchedPlot days={known} {...{ span, shown, onUser }} user={filter.user} />
            )}
            {fetched.kind === 'ready' && <Stale stale={fetched.stale} />}
            <ActivityTable
              {...{ records, names, onUser, onCamera }}
              none={filter.group === 'viewings' ? text.nothingWatched : text.none}
            />
            {more && <Button onPress={more}>{text.more}</Button>}
            {filter.group === 'viewings' && (
              <Browsed
                query={toQuery({ ...filter, group: 'browsing' }, span)}
                {...{ names, onUser, onCamera, isChosen }}
              />
            )}
          </>
        )}
      </RecordsPage>
    </div>
  );
}

type BrowsedProps = Omit<ActivityTableProps, 'records' | 'none'> & {
  query: string;
  isChosen: (record: ActivityRecord) => boolean;
};

/** Small pictures in lists: no viewings, and so apart from them. */
function Browsed({ query, isChosen, ...table }: BrowsedProps) {
  const { fetched, more } = useRecords(`api/ledger?${query}`);
  const records = valueOr(fetched, NOTHING).records.filter(isChosen);
  return (
    records.length > 0 && (
      <section>
        <h2>{words.ledger.groups.browsing}</h2>
        {fetched.kind === 'ready' && <Stale stale={fetched.stale} />}
        <ActivityTable {...table} records={records} none="" />
        {more && <Button onPress={more}>{words.ledger.more}</Button>}
      </section>
    )
  );
}

/** The names of tokens, links and screens that the caller may list; others stay without a name. */
function useCredentialNames(): CredentialNames {
  return new Map([
    ...namesIn('token', valueOr(useList<Named>('api/tokens')[0], [])),
    ...namesIn('link', valueOr(useList<Named>('api/links')[0], [])),
    ...namesIn('screen', valueOr(useList<Named>('api/screens')[0], [])),
  ]);
}

/** `users`: who has watched something: `viewerOf`; `shown`: as people read it. */
type FilterFormProps = {
  filter: ActivityFilter;
  users: readonly string[];
  shown: (viewer: string) => string;
  onChange: (filter: ActivityFilter) => void;
};

function FilterForm({ filter, users, shown: shownUser, onChange }: FilterFormProps) {
  const text = words.ledger;
  const profile = useProfile();
  const sites = useSites();
  const withAll = (names: readonly string[], chosen: string, shown = (name: string): string => name) => [
    ['', text.everything] as const,
    ...suggested(
      [...new Set([...names, chosen])].filter((name) => name !== ''),
      shown,
    ).map(({ value, name }) => [value, name] as const),
  ];
  const fields: readonly (readonly [name: keyof ActivityFilter, label: string, options: Options | undefined])[] = [
    ['user', text.person, withAll([...users, profile.username], filter.user, shownUser)],
    ['camera', text.camera, withAll(profile.allowed_cameras, filter.camera, cameraName)],
    ['site', text.site, sites && withAll([sites.site ?? '', ...sites.others.map(({ name }) => name)], filter.site)],
    ['group', text.kind, GROUPS.map((group) => [group, text.groups[group]])],
    ['range', text.range, RANGES.map((range) => [range, text.ranges[range]])],
  ];
  return (
    <search class="activity-filters" aria-label={words.explore.filters.filters}>
      {fields.map(
        ([name, label, options]) =>
          options && (
            <SelectField
              key={name}
              {...{ label, options }}
              value={filter[name]}
              onChange={(value) => onChange({ ...filter, [name]: value })}
            />
          ),
      )}
    </search>
  );
}

const NOTHING = { next: undefined, records: [] };

/** The records of a query: the first page, then more on demand. */
function useRecords(path: string) {
  /** The page after those that are there. */
  const [further, setFurther] = useState<{ readonly from: string; readonly before: readonly ActivityRecord[] }>();
  useEffect(() => setFurther(undefined), [path]);
  const { from, before } = further ?? { from: path, before: [] };
  const [fetched, again] = useFetched(from, (body, link) => ({
    records: [...before, ...recordsIn<ActivityRecord>(body)],
    next: /<(?<next>[^>]+)>;\s*rel="?next"?/.exec(link ?? '')?.groups?.['next'],
  }));
  // A page that cannot be had leaves those before it.
  const known: typeof fetched =
    fetched.kind === 'failed' && further && isOutage(fetched.status)
      ? { kind: 'ready', value: { records: [...before], next: from }, stale: fetched.problem }
      : fetched;
  const { next, records } = valueOr(known, NOTHING);
  return {
    fetched: known,
    more: next && (() => (next === from ? again() : setFurther({ from: next, before: records }))),
    again,
  };
}
