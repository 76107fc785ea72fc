/** `node deploy/grafana/make-dashboard.ts` prints the dashboard; each release has it as a file. */

type Unit = 'short' | 's' | 'reqps' | 'Bps' | 'bytes' | 'percentunit' | 'dtdurations';

interface Panel {
  readonly title: string;
  readonly kind: 'stat' | 'timeseries';
  readonly unit: Unit;
  /** Legend and query, in turn. */
  readonly queries: readonly (readonly [legend: string, expression: string])[];
  readonly description?: string;
}

const stat = (title: string, unit: Unit, expression: string, description?: string): Panel => ({
  title,
  kind: 'stat',
  unit,
  queries: [['', expression]],
  ...(description === undefined ? {} : { description }),
});

const graph = (title: string, unit: Unit, ...queries: Panel['queries'][number][]): Panel => ({
  title,
  kind: 'timeseries',
  unit,
  queries,
});

const HERE = 'instance=~"$instance"';
const rate = (metric: string, by: string, labels = ''): string =>
  `sum by (${by}) (rate(${metric}{${HERE}${labels}}[$__rate_interval]))`;
const quantile = (share: number, metric: string, by = 'le'): string =>
  `histogram_quantile(${share}, ${rate(`${metric}_bucket`, by)})`;

const ROWS: readonly (readonly [title: string, panels: readonly Panel[]])[] = [
  [
    'Now',
    [
      stat(
        'NVR reachable',
        'short',
        `min(postern_upstream_up{${HERE}})`,
        '1: it answered the last probe; 0: it did not.',
      ),
      stat('Streams open', 'short', `sum(postern_streams_open{${HERE}})`),
      stat('Active sessions', 'short', `sum(postern_active_sessions{${HERE}})`, 'Seen in the last five minutes.'),
      stat(
        'Server errors',
        'percentunit',
        `${rate('postern_requests_total', 'job', ',code_class="5xx"')} / ${rate('postern_requests_total', 'job')}`,
      ),
      stat(
        'Failed logins, last hour',
        'short',
        `sum(increase(postern_logins_total{${HERE},result="bad_credentials"}[1h]))`,
      ),
      stat(
        'Configuration in use',
        'short',
        `min(postern_config_last_reload_successful{${HERE}})`,
        '0: the last change was refused.',
      ),
      stat(
        'Certificate ends in',
        'dtdurations',
        `min(postern_tls_certificate_expiry_timestamp_seconds{${HERE}}) - time()`,
      ),
      stat('Logouts not stored', 'short', `sum(postern_revocations_waiting{${HERE}})`),
    ],
  ],
  [
    'Logins',
    [
      graph('Attempts', 'reqps', ['{{result}}', rate('postern_logins_total', 'result')]),
      graph('Sign-ins with a provider', 'reqps', [
        '{{provider}}: {{result}}',
        `${rate('postern_oidc_logins_total', 'provider, result')} > 0`,
      ]),
      graph('Password checks waiting', 'short', ['{{instance}}', `postern_password_hash_queue{${HERE}}`]),
      graph('Refused by the login limit', 'reqps', [
        '{{scope}}, clause {{clause}}',
        rate('postern_rate_limit_hits_total', 'scope, clause'),
      ]),
      graph('Source of client addresses', 'reqps', ['{{source}}', rate('postern_client_address_total', 'source')]),
      graph('Failures counted against a proxy', 'reqps', [
        '{{instance}}',
        rate('postern_failures_from_trusted_proxy_total', 'instance'),
      ]),
    ],
  ],
  [
    'Decisions',
    [
      graph('Access decisions', 'reqps', ['{{result}}', rate('postern_decisions_total', 'result')]),
      graph('Kinds of credential', 'reqps', ['{{mode}}', rate('postern_decisions_total', 'mode')]),
      graph(
        'Time of a decision',
        's',
        ['median', quantile(0.5, 'postern_decision_duration_seconds')],
        ['99th percentile', quantile(0.99, 'postern_decision_duration_seconds')],
      ),
      graph('Denied cameras', 'reqps', [
        '{{camera}}, {{role}}',
        `${rate('postern_camera_denied_total', 'camera, role')} > 0`,
      ]),
      graph('Source of roles of proxy users', 'reqps', [
        '{{source}}, {{role}}',
        `${rate('postern_proxy_role_total', 'source, role')} > 0`,
      ]),
      graph('Checks of the proxy secret', 'reqps', ['{{result}}', rate('postern_proxy_secret_total', 'result')]),
      graph(
        'Identity headers not believed',
        'reqps',
        ['{{header}} removed', `${rate('postern_stripped_headers_total', 'header')} > 0`],
        ['from an untrusted peer', rate('postern_untrusted_identity_headers_total', 'job')],
      ),
      graph('Tokens refused', 'reqps', ['{{reason}}', rate('postern_tokens_rejected_total', 'reason')]),
    ],
  ],
  [
    'Traffic',
    [
      graph('Requests', 'reqps', ['{{route_class}}', rate('postern_requests_total', 'route_class')]),
      graph('Responses', 'reqps', ['{{code_class}}', rate('postern_requests_total', 'code_class')]),
      graph('Time to the first byte of the NVR, 95th percentile', 's', [
        '{{route_class}}',
        quantile(0.95, 'postern_upstream_duration_seconds', 'route_class, le'),
      ]),
      graph('Response time, 95th percentile', 's', [
        '{{route_class}}',
        quantile(0.95, 'postern_request_duration_seconds', 'route_class, le'),
      ]),
      graph('Bytes', 'Bps', ['{{direction}}, {{route_class}}', rate('postern_bytes_total', 'direction, route_class')]),
      graph('NVR: responses', 'reqps', ['{{code_class}}', rate('postern_upstream_requests_total', 'code_class')]),
      graph('NVR: failures', 'reqps', ['{{reason}}', rate('postern_upstream_errors_total', 'reason')]),
      graph('Streams open', 'short', ['{{kind}}', `sum by (kind) (postern_streams_open{${HERE}})`]),
      graph('Places in use', 'short', ['{{of}}', `sum by (of) (postern_places_in_use{${HERE}})`]),
      graph('Streams ended', 'reqps', ['{{kind}}, {{reason}}', rate('postern_streams_closed_total', 'kind, reason')]),
      graph('Paths missing from the route table', 'reqps', [
        '{{instance}}',
        rate('postern_unknown_routes_total', 'instance'),
      ]),
    ],
  ],
  [
    'Process',
    [
      graph('Event loop lag, 99th percentile', 's', ['{{instance}}', `nodejs_eventloop_lag_p99_seconds{${HERE}}`]),
      graph(
        'Memory',
        'bytes',
        ['resident', `process_resident_memory_bytes{${HERE}}`],
        ['heap', `nodejs_heap_size_used_bytes{${HERE}}`],
      ),
      graph('Processor', 'percentunit', ['{{instance}}', rate('process_cpu_seconds_total', 'instance')]),
      graph(
        'File descriptors and streams',
        'short',
        ['file descriptors', `process_open_fds{${HERE}}`],
        ['streams', `sum by (instance) (postern_streams_open{${HERE}})`],
      ),
      graph(
        'Store reachable',
        'short',
        ['{{instance}}', `postern_store_up{${HERE}}`],
        ['{{instance}}: changes of other replicas are heard', `postern_store_changes_heard{${HERE}}`],
      ),
      graph('Delay of the ledger', 's', ['{{instance}}', `postern_ledger_delay_seconds{${HERE}}`]),
      graph(
        'Store faults',
        'short',
        ['{{kind}}', `sum by (kind) (increase(postern_store_faults_total{${HERE}}[$__rate_interval]))`],
      ),
      graph('Own errors', 'reqps', ['{{reason}}', rate('postern_own_errors_total', 'reason')]),
      graph(
        'Lost',
        'short',
        ['log lines', `sum(increase(postern_log_lines_dropped_total{${HERE}}[$__rate_interval]))`],
        ['connections refused', `sum(increase(postern_connections_refused_total{${HERE}}[$__rate_interval]))`],
      ),
    ],
  ],
];

const SOURCE = { type: 'prometheus', uid: '${datasource}' };
const COLUMNS = 24;
// biome-ignore format: a table
const SIZES = { stat: { w: 3, h: 4 }, timeseries: { w: 8, h: 8 } } as const;

interface Placed {
  readonly [key: string]: unknown;
}

export function dashboard(): object {
  let id = 0;
  let y = 0;
  const panels: Placed[] = [];
  for (const [title, row] of ROWS) {
    panels.push({ id: ++id, type: 'row', title, collapsed: false, gridPos: { x: 0, y, w: COLUMNS, h: 1 }, panels: [] });
    y += 1;
    let x = 0;
    const height = SIZES[row[0]?.kind ?? 'stat'].h;
    for (const panel of row) {
      const { w, h } = SIZES[panel.kind];
      if (x + w > COLUMNS) [x, y] = [0, y + height];
      panels.push(placed(panel, ++id, { x, y, w, h }));
      x += w;
    }
    y += height;
  }
  return { ...ABOUT, panels };
}

const placed = ({ title, kind, unit, queries, description = '' }: Panel, id: number, gridPos: object): Placed => ({
  id,
  type: kind,
  title,
  description,
  datasource: SOURCE,
  gridPos,
  fieldConfig: { defaults: { unit, ...(kind === 'timeseries' ? { min: 0 } : {}) }, overrides: [] },
  options:
    kind === 'stat'
      ? { reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false }, colorMode: 'value', graphMode: 'area' }
      : {
          legend: { displayMode: 'list', placement: 'bottom', showLegend: true },
          tooltip: { mode: 'multi', sort: 'desc' },
        },
  targets: queries.map(([legendFormat, expr], at) => ({
    refId: String.fromCharCode('A'.charCodeAt(0) + at),
    datasource: SOURCE,
    editorMode: 'code',
    expr,
    legendFormat,
    range: true,
  })),
});

const ABOUT = {
  uid: 'postern',
  title: 'Postern',
  description: 'Logins, access decisions, traffic to the NVR, the store and the process.',
  tags: ['postern', 'nvr', 'authentication'],
  schemaVersion: 38,
  version: 1,
  editable: true,
  graphTooltip: 1,
  refresh: '30s',
  time: { from: 'now-6h', to: 'now' },
  timezone: 'browser',
  annotations: { list: [] },
  links: [],
  templating: {
    list: [
      {
        name: 'datasource',
        label: 'Prometheus',
        type: 'datasource',
        query: 'prometheus',
        hide: 0,
        refresh: 1,
        current: {},
      },
      {
        name: 'instance',
        label: 'Instance',
        type: 'query',
        datasource: SOURCE,
        query: { query: 'label_values(postern_build_info, instance)', refId: 'instances' },
        includeAll: true,
        multi: true,
        allValue: '.*',
        hide: 0,
        refresh: 2,
        sort: 1,
        current: { text: 'All', value: '$__all' },
      },
    ],
  },
};

if (import.meta.main) process.stdout.write(`${JSON.stringify(dashboard(), null, 2)}\n`);
