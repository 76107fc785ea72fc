/** Activity: who watched what, and what was changed; people see their own records, an admin the records of all (SPEC 14). */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useSearchParams } from 'wouter-preact';
import { isPictureKind } from '../../../domain/policy.ts';
import { isAdmin, useProfile, useSites } from '../../../ui/pages/shared/account.ts';
import { isOutage, useFetched, useList, valueOr } from '../../../ui/pages/shared/api.ts';
import { baseUrl, isPhone } from '../../../ui/pages/shared/browser.ts';
import { colourAt } from '../../../ui/pages/shared/events/bars.ts';
import { Thumbnail } from '../../../ui/pages/shared/events/event-row.tsx';
import { readEvent } from '../../../ui/pages/shared/events/event-view.ts';
import { Plot, useSelection } from '../../../ui/pages/shared/events/stack-plot.tsx';
import { Field, SelectField } from '../../../ui/pages/shared/fields.tsx';
import { Button, type Fact, Facts, PressChip, Stale, usePageTitle } from '../../../ui/pages/shared/parts.tsx';
import { type Column, RecordTable, SearchBox } from '../../../ui/pages/shared/record-table.tsx';
import { Badge, RecordsPage } from '../../../ui/pages/shared/records-page.tsx';
import type { Option } from '../../../ui/pages/shared/spelling.ts';
import { nextIn, own, recordsIn } from '../../../ui/pages/shared/untrusted.ts';
import {
  cameraName,
  facts,
  formatDate,
  formatDay,
  formatDuration,
  formatSpan,
  formatTick,
  suggested,
  words,
} from '../../../ui/pages/shared/words.ts';
import {
  type ActivityFilter,
  type ActivityRecord,
  type ActivityRow,
  bucketDays,
  type CredentialNames,
  cameraOf,
  credentialText,
  filterSearch,
  GROUPS,
  hasMinutes,
  type Named,
  namesIn,
  namesInRecords,
  RANGES,
  readDetail,
  readFilter,
  recordFields,
  type Span,
  toQuery,
  toRows,
  toSentence,
  toSpan,
  type Viewed,
  viewerOf,
  viewerText,
  viewingsQuery,
  type WatchedDay,
} from './activity-records.ts';

export function Activity() {
  const [search, setSearch] = useSearchParams();
  const filter = readFilter(search);
  const setFilter = (wanted: ActivityFilter): void => setSearch(filterSearch(wanted));
  const span = useMemo(() => toSpan(filter.range, new Date()), [filter.range]);
  const query = toQuery(filter, span);
  const { fetched, more, again } = useRecords(`api/ledger?${query}`);
  const [days] = useFetched(`api/ledger/days?${toQuery({ ...filter, group: 'all' }, span)}`, recordsIn<WatchedDay>);
  const { records: all } = valueOr(fetched, NOTHING);
  // Those that the caller may list; others stay without a name.
  const named = (kind: Parameters<typeof namesIn>[0]) => namesIn(kind, valueOr(useList<Named>(`api/${kind}s`)[0], []));
  const names = new Map([...named('token'), ...named('link'), ...named('screen'), ...namesInRecords(all)]);
  // What a person has lent to others is not what the person saw.
  const isChosen = (one: Viewed): boolean => filter.user === '' || viewerOf(one) === filter.user;
  const records = all.filter(isChosen);
  const known = valueOr(days, []).filter(isChosen);
  const makers = new Map([...known, ...records].map((one) => [viewerOf(one), one.user]));
  const shown = (viewer: string): string => viewerText(viewer, makers.get(viewer), names);
  const onUser = (user: string): void => setFilter(viewingsQuery({ user }, filter));
  const onCamera = (camera: string): void => setFilter(viewingsQuery({ camera }, filter));
  const [sought, seek] = useState('');
  const table = { names, query: sought, onUser, onCamera };
  const text = words.ledger;
  const seen = filter.user === '' && filter.camera !== '' && text.nobodyWatched({ camera: cameraName(filter.camera) });
  const none = (hasMinutes(filter) && seen) || (filter.group === 'viewings' ? text.nothingWatched : text.none);
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
            <FilterForm {...{ filter, sought, seek, shown }} users={known.map(viewerOf)} onChange={setFilter} />
            {fetched.kind === 'ready' && <Stale stale={fetched.stale} onRetry={again} />}
            {hasMinutes(filter) && known.length > 0 && (
              <WatchedPlot days={known} {...{ span, shown, onUser }} user={filter.user} />
            )}
            <ActivityTable {...table} {...{ records, more, none }} />
            {filter.group === 'viewings' && (
              <Browsed {...table} {...{ isChosen }} asked={toQuery({ ...filter, group: 'browsing' }, span)} />
            )}
          </>
        )}
      </RecordsPage>
    </div>
  );
}

type BrowsedProps = Omit<ActivityTableProps, 'records' | 'more' | 'none'> & {
  asked: string;
  isChosen: (record: ActivityRecord) => boolean;
};

/** Small pictures in lists: no viewings, and so apart from them. */
function Browsed({ asked, isChosen, ...table }: BrowsedProps) {
  const { fetched, more } = useRecords(`api/ledger?${asked}`);
  const records = valueOr(fetched, NOTHING).records.filter(isChosen);
  return (
    records.length > 0 && (
      <section>
        <h2>{words.ledger.groups.browsing}</h2>
        {fetched.kind === 'ready' && <Stale stale={fetched.stale} />}
        <ActivityTable {...table} {...{ records, more }} none="" />
      </section>
    )
  );
}

interface ActivityTableProps {
  readonly records: readonly ActivityRecord[];
  readonly more: ReturnType<typeof useRecords>['more'];
  /** What is looked for in them. */
  readonly query: string;
  readonly names: CredentialNames;
  /** What is said where there is no record. */
  readonly none: string;
  readonly onUser: (user: string) => void;
  readonly onCamera: (camera: string) => void;
}

/** The person and the camera of a row are one click away from all that is known of them. */
function ActivityTable({ records, more, query, names, none, onUser, onCamera }: ActivityTableProps) {
  const text = words.ledger;
  const rows = toRows(records);
  const now = Date.now() / 1000;
  const viewerIn = ({ record }: ActivityRow): string => viewerText(viewerOf(record), record.user, names);
  const columns: readonly (Column<ActivityRow> | false)[] = [
    { title: text.kind, cell: (row) => <What row={row} names={names} /> },
    {
      title: text.person,
      sortBy: viewerIn,
      cell: (row) => {
        const user = viewerIn(row);
        if (user === '') return <bdi class="fact-more">{readDetail(row.record, 'names')}</bdi>;
        const onPress = (): void => onUser(viewerOf(row.record));
        return <PressChip text={user} title={text.whatSaw({ user })} {...{ onPress }} />;
      },
    },
    rows.some(cameraOf) && {
      title: text.camera,
      sortBy: (row) => cameraName(cameraOf(row)),
      cell: (row) => {
        const [name, camera] = [cameraOf(row), cameraName(cameraOf(row))];
        return name && <PressChip text={camera} title={text.whoWatched({ camera })} onPress={() => onCamera(name)} />;
      },
    },
    records.some(({ site }) => site !== undefined) && { title: text.site, text: ({ record }) => record.site },
    // Its day stands above it.
    { title: text.when, at: ({ from }) => from, cell: ({ from }) => formatTick(from, 1) },
    { title: text.what, cell: (row) => <More row={row} names={names} /> },
  ];
  return (
    <>
      <RecordTable
        caption={text.title}
        {...{ rows, columns, query, none }}
        keyOf={({ record }) => record.id}
        searchText={(row) => {
          const { record, count } = row;
          return [toSentence(record, names, count), viewerIn(row), record.camera, record.address].join(' ');
        }}
        groupOf={({ from }) => formatDay(from, now)}
        narrow="text"
      />
      {more && <Button onPress={more}>{text.more}</Button>}
    </>
  );
}

type RowProps = { row: ActivityRow; names: CredentialNames };

function What({ row: { record, count, event }, names }: RowProps) {
  const text = words.ledger;
  const mark = own(text.seen, readDetail(record, 'seen'));
  return (
    <>
      {event !== undefined && <EventPicture id={event} />}
      <bdi>{toSentence(record, names, count)}</bdi>{' '}
      {record.hash === null && isPictureKind(record.kind) && <Badge text={text.now} kind="strong" />}
      {mark !== undefined && <Badge text={mark} />}
      {readDetail(record, 'ended') !== undefined && <Badge text={text.endUnknown} />}
    </>
  );
}

function More({ row: { record, to, from, duration, count, cameras }, names }: RowProps) {
  const text = words.ledger;
  const { address, credential, watched_from: begin, watched_to: end } = record;
  const lasted = duration >= 1 ? formatDuration(duration) : '';
  const recorded = begin === undefined ? '' : spanText(begin, end);
  const known: readonly Fact[] = [
    [text.howLong, lasted],
    [text.range, count > 1 ? spanText(from, to) : ''],
    [text.recorded, recorded],
    [text.camera, cameras.size > 1 ? [...cameras].map(cameraName).join(', ') : ''],
    ...recordFields(record),
    // Or where else an act came from.
    [text.address, address && (own(text.places, address) ?? address)],
    [text.by, credential ? credentialText(credential, names) : ''],
  ];
  if (known.every(([, value]) => value === '')) return <>–</>;
  return (
    <details class="activity-more">
      <summary>
        <span class="out-of-sight">{text.what}</span> <bdi>{recorded || lasted}</bdi>
      </summary>
      <Facts class="" rows={known} />
    </details>
  );
}

const spanText = (from: number, to = from): string => formatSpan(from, Math.max(from, to));

/**
 * The picture of the event that was seen, and only one that comes with the event: a picture in a file of the NVR would be a
 * viewing of its own, of each camera that a list shows. The place is kept free meanwhile.
 */
function EventPicture({ id }: { id: string }) {
  const event = valueOr(useFetched(`api/events/${encodeURIComponent(id)}`, readEvent)[0], undefined);
  return event === undefined ? <span class="thumbnail" /> : <Thumbnail event={{ ...event, isPictureInFile: false }} />;
}

/** `users`: who has watched something: `viewerOf`; `shown`: as people read it. */
type FilterFormProps = {
  filter: ActivityFilter;
  /** What is looked for in the records that are shown. */
  sought: string;
  seek: (text: string) => void;
  users: readonly string[];
  shown: (viewer: string) => string;
  onChange: (filter: ActivityFilter) => void;
};

function FilterForm({ filter, sought, seek, users, shown: shownUser, onChange }: FilterFormProps) {
  const text = words.ledger;
  const profile = useProfile();
  const sites = useSites();
  const at = sites && [sites.site ?? '', ...sites.others.map(({ name }) => name)];
  /** Whether a filter was pointed at: the first view needs no list of users. */
  const [isReached, setIsReached] = useState(false);
  const mayList = isReached && isAdmin(profile) && facts.hasOwnLogin;
  const accounts = useList<{ username: string }>(mayList && 'api/users')[0];
  const people = [...users, ...valueOr(accounts, []).map(({ username }) => username), profile.username];
  const withAll = (all: string, names: readonly string[], chosen: string, shown?: typeof cameraName): Option[] => [
    ['', all],
    ...suggested([...new Set([...names, chosen])].filter(Boolean), shown),
  ];
  const fields: readonly (readonly [keyof ActivityFilter, string, readonly Option[] | undefined])[] = [
    ['user', text.person, withAll(text.allPeople, people, filter.user, shownUser)],
    ['camera', text.camera, withAll(text.allCameras, profile.allowed_cameras, filter.camera, cameraName)],
    ['site', text.site, at && withAll(text.allSites, at, filter.site)],
    ['group', text.kind, GROUPS.map((group) => [group, text.groups[group]])],
    ['range', text.range, RANGES.map((range) => [range, text.ranges[range]])],
  ];
  return (
    <search
      class="activity-filters"
      aria-label={words.explore.filters.filters}
      onFocusCapture={() => setIsReached(true)}
      onPointerEnter={() => setIsReached(true)}
    >
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
      <Field
        label={words.ui.table.search}
        control={({ id }) => (
          <SearchBox
            {...{ id }}
            label={words.ui.table.searchIn({ what: text.title })}
            placeholder={words.ui.table.search}
            value={sought}
            onChange={seek}
          />
        )}
      />
    </search>
  );
}

type Records = { readonly records: readonly ActivityRecord[]; readonly next: string | undefined };
const NOTHING: Records = { records: [], next: undefined };

/** The records of a query: the first page, then more on demand. */
function useRecords(path: string) {
  /** The page after the loaded ones. */
  const [further, setFurther] = useState<{ readonly from: string; readonly before: Records['records'] }>();
  useEffect(() => setFurther(undefined), [path]);
  const { from, before } = further ?? { from: path, before: [] };
  const [fetched, again] = useFetched<Records>(from, (body, link) => ({
    records: [...before, ...recordsIn<ActivityRecord>(body)],
    next: nextIn(link),
  }));
  const last = useRef<Records>(undefined);
  if (fetched.kind === 'ready') last.current = fetched.value;
  // Another filter can be chosen; the records stay as long as nothing is said of rights.
  const known: typeof fetched =
    fetched.kind === 'failed' && last.current
      ? { kind: 'ready', value: isOutage(fetched.status) ? last.current : NOTHING, stale: fetched.problem }
      : fetched;
  const { next, records } = valueOr(known, NOTHING);
  const isNext = next === from;
  return {
    fetched: known,
    more:
      next !== undefined &&
      (isNext || fetched.kind === 'ready') &&
      (() => (isNext ? again() : setFurther({ from: next, before: records }))),
    again,
  };
}

type WatchedPlotProps = {
  days: readonly WatchedDay[];
  span: Span;
  user: string;
  shown: (viewer: string) => string;
  onUser: (user: string) => void;
};

/** So many need no folding on a phone. */
const FEW_PEOPLE = 3;

/** Minutes watched by day, stacked by person: choose a person to see what that person saw. */
function WatchedPlot({ days, span: { first, days: count }, user, shown, onUser }: WatchedPlotProps) {
  const { starts, people } = useMemo(() => bucketDays(days, first, count), [days, first, count]);
  const series = people.map((person, place) => ({ ...person, colour: colourAt(place) }));
  const selecting = useSelection(starts.length);
  const at = selecting.selection?.to;
  const start = starts[at ?? -1];
  const minutesOf = (minutes: number | undefined): string =>
    words.ledger.minutes({ minutes: Math.round(minutes ?? 0) });
  const sum = people.reduce((minutes, { counts }) => minutes + (counts[at ?? 0] ?? 0), 0);
  const said = start === undefined ? '' : `${formatDate(start)}: ${minutesOf(sum)}`;
  if (people.every(({ total }) => total === 0)) return null;
  return (
    <Plot label={words.ledger.plot} {...{ starts, series, selecting, said }} caption={words.ledger.perDay}>
      <details class="legend-place" open={!isPhone() || series.length <= FEW_PEOPLE}>
        <summary>{words.ledger.people({ number: series.length })}</summary>
        <p class="row legend">
          {series.map(({ name, colour, total, counts }) => (
            <PressChip
              key={name}
              text={
                <>
                  <svg class="legend-colour" style={{ fill: colour }} viewBox="0 0 10 10" aria-hidden="true">
                    <rect width="10" height="10" rx="2.5" />
                  </svg>{' '}
                  {name === '' ? '–' : shown(name)}
                </>
              }
              // As wide as the total needs.
              number={
                <span class="legend-count" style={{ minWidth: `${minutesOf(total).length}ch` }}>
                  {minutesOf(at === undefined ? total : counts[at])}
                </span>
              }
              isOn={name === user}
              title={words.ledger.whatSaw({ user: shown(name) })}
              onPress={() => onUser(name)}
            />
          ))}
        </p>
      </details>
    </Plot>
  );
}
