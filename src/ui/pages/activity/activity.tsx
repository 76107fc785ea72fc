/** Activity: who watched what, and what was changed; all see their own records, an admin sees those of everybody (SPEC 14). */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { isAdmin, type Profile, type Sites, useSites } from '../shared/account.ts';
import type { LinkRecord, ScreenRecord, TokenRecord } from '../shared/answers.ts';
import { getFromApi } from '../shared/api.ts';
import { baseUrl } from '../shared/browser.ts';
import { SelectField } from '../shared/fields.tsx';
import { problemOf } from '../shared/problems.ts';
import { RecordsPage } from '../shared/records-page.tsx';
import { recordsIn } from '../shared/untrusted.ts';
import { type Fetched, useFetched } from '../shared/use-fetched.ts';
import { cameraName, suggested, words } from '../shared/words.ts';
import {
  type ActivityFilter,
  type ActivityRecord,
  type CredentialNames,
  FIRST_FILTER,
  GROUPS,
  hasMinutes,
  namesIn,
  queryOf,
  RANGES,
  spanOf,
  viewingsOf,
  type WatchedDay,
} from './activity-records.ts';
import { ActivityTable } from './activity-table.tsx';
import { WatchedPlot } from './watched-plot.tsx';

export function Activity({ profile }: { profile: Profile }) {
  const [filter, setFilter] = useState(FIRST_FILTER);
  const span = useMemo(() => spanOf(filter.range, new Date()), [filter.range]);
  const query = queryOf(filter, span);
  const { fetched, more, again } = useRecords(`api/ledger?${query}`);
  const [days] = useFetched(`api/ledger/days?${queryOf({ ...filter, group: 'all' }, span)}`, recordsIn<WatchedDay>);
  const names = useCredentialNames();
  const known = days.kind === 'ready' ? days.value : [];
  const csv = new URL(`api/ledger?${query}&format=csv`, baseUrl).href;
  const onUser = (user: string): void => setFilter(viewingsOf({ user }, filter));
  const sites = useSites();
  const onCamera = (camera: string): void => setFilter(viewingsOf({ camera }, filter));
  return (
    <div class="activity">
      <RecordsPage
        title={words.ledger.title}
        lead={isAdmin(profile) ? words.ledger.leadAdmin : words.ledger.lead}
        // The plot comes with the table: a place for it is needed where somebody watched.
        fetched={[days.kind === 'loading' ? days : fetched, again]}
        actions={
          <a class="button" href={csv} download="ledger.csv">
            {words.ledger.csv}
          </a>
        }
      >
        {({ records }) => (
          <>
            <FilterForm {...{ filter, profile, sites }} users={known.map(({ user }) => user)} onChange={setFilter} />
            {hasMinutes(filter) && known.length > 0 && (
              <div class="activity-plot">
                <WatchedPlot days={known} first={span.first} count={span.days} user={filter.user} onUser={onUser} />
              </div>
            )}
            <ActivityTable
              {...{ records, names, onUser, onCamera }}
              none={filter.group === 'viewings' ? words.ledger.nothingWatched : words.ledger.none}
            />
            {more && (
              <button class="button" type="button" onClick={more}>
                {words.ledger.more}
              </button>
            )}
          </>
        )}
      </RecordsPage>
    </div>
  );
}

/** The names of tokens, links and screens that the caller may list; others stay without a name. */
function useCredentialNames(): CredentialNames {
  const [tokens] = useFetched('api/tokens', recordsIn<TokenRecord>);
  const [links] = useFetched('api/links', recordsIn<LinkRecord>);
  const [screens] = useFetched('api/screens', recordsIn<ScreenRecord>);
  return new Map([
    ...(tokens.kind === 'ready' ? namesIn('token', tokens.value) : []),
    ...(links.kind === 'ready' ? namesIn('link', links.value) : []),
    ...(screens.kind === 'ready' ? namesIn('screen', screens.value) : []),
  ]);
}

interface FilterFormProps {
  readonly filter: ActivityFilter;
  readonly profile: Profile;
  readonly sites: Sites | undefined;
  /** Who has watched something. */
  readonly users: readonly string[];
  readonly onChange: (filter: ActivityFilter) => void;
}

function FilterForm({ filter, profile, sites, users, onChange }: FilterFormProps) {
  const text = words.ledger;
  const withAll = (names: readonly string[], chosen: string, shown = (name: string): string => name): Options => [
    ['', text.everything],
    ...suggested(
      [...new Set([...names, chosen])].filter((name) => name !== ''),
      shown,
    ).map(({ value, name }) => [value, name] as const),
  ];
  const siteNames = sites && [sites.own, ...sites.others.map(({ name }) => name)];
  const fields: readonly (readonly [name: keyof ActivityFilter, label: string, options: Options | undefined])[] = [
    ['user', text.person, withAll([...users, profile.name], filter.user)],
    ['camera', text.camera, withAll(profile.cameras, filter.camera, cameraName)],
    ['site', text.site, siteNames && withAll(siteNames, filter.site)],
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

type Options = readonly (readonly [value: string, text: string])[];

/** The records of a query: the first page, then more on demand. */
interface LoadedRecords {
  readonly records: readonly ActivityRecord[];
  readonly next: string | undefined;
}

function useRecords(path: string): {
  fetched: Fetched<LoadedRecords>;
  more: (() => void) | undefined;
  again: () => void;
} {
  const [fetched, setFetched] = useState<Fetched<LoadedRecords>>({ kind: 'loading' });
  const [round, setRound] = useState(0);
  const ask = async (from: string, before: readonly ActivityRecord[], signal?: AbortSignal): Promise<void> => {
    const response = await getFromApi(from, signal);
    if (signal?.aborted) return;
    if (response.kind !== 'ok') return setFetched({ kind: 'failed', problem: problemOf(response) });
    const next = /<(?<next>[^>]+)>;\s*rel="?next"?/.exec(response.link ?? '')?.groups?.['next'];
    setFetched({ kind: 'ready', value: { records: [...before, ...recordsIn<ActivityRecord>(response.body)], next } });
  };
  useEffect(() => {
    const controller = new AbortController();
    void ask(path, [], controller.signal);
    return () => controller.abort();
  }, [path, round]);
  const { next, records = [] } = fetched.kind === 'ready' ? fetched.value : { next: undefined };
  return {
    fetched,
    more: next === undefined ? undefined : () => void ask(next, records),
    again: () => setRound((was) => was + 1),
  };
}
