/** Activity: who watched what, and what was changed; all see their own records, an admin sees those of everybody (SPEC 14). */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { RecordsPage } from '../settings/page.tsx';
import { isAdmin, type Profile } from '../shared/account/profile.ts';
import { getFromApi } from '../shared/api.ts';
import { baseUrl } from '../shared/base-url.ts';
import { SelectField } from '../shared/forms/form-fields.tsx';
import { problemOf } from '../shared/forms/problem-of.ts';
import { cameraName, suggested } from '../shared/names.ts';
import { type Sites, useSites } from '../shared/sites.ts';
import { type Fetched, useFetched } from '../shared/use-fetched.ts';
import { words } from '../shared/words.ts';
import {
  type ActivityFilter,
  FIRST_FILTER,
  GROUPS,
  type Group,
  hasMinutes,
  queryOf,
  RANGES,
  type Range,
  spanOf,
  whatSaw,
  whoWatched,
} from './activity-filter.ts';
import { ActivityTable } from './activity-table.tsx';
import { type CredentialNames, readNames } from './credential-text.ts';
import { type ActivityRecord, readDays, readRecords } from './read-activity.ts';
import { WatchedPlot } from './watched-plot.tsx';

export function Activity({ profile }: { profile: Profile }) {
  const [filter, setFilter] = useState(FIRST_FILTER);
  const span = useMemo(() => spanOf(filter.range, new Date()), [filter.range]);
  const query = queryOf(filter, span);
  const { fetched, more, again } = useRecords(`api/ledger?${query}`);
  const [days] = useFetched(`api/ledger/days?${queryOf({ ...filter, group: 'all' }, span)}`, readDays);
  const names = useCredentialNames();
  const known = days.kind === 'ready' ? days.value : [];
  const csv = new URL(`api/ledger?${query}&format=csv`, baseUrl).href;
  const onUser = (user: string): void => setFilter(whatSaw(user, filter));
  const sites = useSites();
  const onCamera = (camera: string): void => setFilter(whoWatched(camera, filter));
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
  const [tokens] = useFetched('api/tokens', readTokenNames);
  const [links] = useFetched('api/links', readLinkNames);
  const [screens] = useFetched('api/screens', readScreenNames);
  return new Map([tokens, links, screens].flatMap((list) => (list.kind === 'ready' ? [...list.value] : [])));
}

const [readTokenNames, readLinkNames, readScreenNames] = [readNames('token'), readNames('link'), readNames('screen')];

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
  const withAll = (
    names: readonly string[],
    chosen: string,
    shown = (name: string): string => name,
  ): readonly (readonly [string, string])[] => [
    ['', text.everything],
    ...suggested(
      [...new Set([...names, chosen])].filter((name) => name !== ''),
      shown,
    ).map(({ value, name }) => [value, name] as const),
  ];
  return (
    <search class="activity-filters" aria-label={words.explore.filters.filters}>
      <SelectField
        label={text.person}
        value={filter.user}
        options={withAll([...users, profile.name], filter.user)}
        onChange={(user) => onChange({ ...filter, user })}
      />
      <SelectField
        label={text.camera}
        value={filter.camera}
        options={withAll(profile.cameras, filter.camera, cameraName)}
        onChange={(camera) => onChange({ ...filter, camera })}
      />
      {sites && (
        <SelectField
          label={text.site}
          value={filter.site}
          options={withAll([sites.own, ...sites.others.map(({ name }) => name)], filter.site)}
          onChange={(site) => onChange({ ...filter, site })}
        />
      )}
      <SelectField
        label={text.kind}
        value={filter.group}
        options={GROUPS.map((group) => [group, text.groups[group]])}
        onChange={(group) => onChange({ ...filter, group: group as Group })}
      />
      <SelectField
        label={text.range}
        value={filter.range}
        options={RANGES.map((range) => [range, text.ranges[range]])}
        onChange={(range) => onChange({ ...filter, range: range as Range })}
      />
    </search>
  );
}

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
    setFetched({ kind: 'ready', value: { records: [...before, ...readRecords(response.body)], next } });
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
