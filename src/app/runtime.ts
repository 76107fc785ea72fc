/** What outlives every reload: logs, counters, the store, accounts, open streams, the certificate (SPEC 1). */
import { join } from 'node:path';
import type { Logger } from 'pino';
import { type Clock, unixSeconds } from '../domain/clock.ts';
import { createOpenStreams, type OpenStreams } from '../gateway/entry/open-streams.ts';
import { createUnknownRoutes, type UnknownRoutes } from '../gateway/entry/unknown-routes.ts';
import { openStore, type Store } from '../store/open-store.ts';
import type { Logs } from '../telemetry/log.ts';
import { type BuiltPages, readBuiltPages } from '../ui/built-pages.ts';
import { type Accounts, openAccounts } from './accounts/accounts.ts';
import type { Generation } from './generation.ts';
import { openLogs } from './logs.ts';
import type { StartOptions } from './start.ts';
import { openTelemetry, type RuntimeTelemetry } from './telemetry/telemetry.ts';
import { type Certificates, openCertificates } from './tls.ts';
import { openTrustedHeaders, TRUSTED_HEADERS_FILES, type TrustedHeaders } from './trusted-headers.ts';

export interface Runtime {
  readonly options: StartOptions;
  readonly clock: Clock;
  /** Unix seconds. */
  readonly startedAt: number;
  readonly logs: Logs;
  readonly log: Logger;
  readonly counters: RuntimeTelemetry;
  readonly trustedHeaders: TrustedHeaders;
  readonly store: Store;
  readonly accounts: Accounts;
  readonly openStreams: OpenStreams;
  readonly unknownRoutes: UnknownRoutes;
  readonly pages: BuiltPages;
  /** Undefined without TLS. */
  readonly certificates: Certificates | undefined;
  /** What holds now, and what the status page should say of it. */
  readonly inForce: () => Generation;
  readonly warnings: () => readonly string[];
  close(): Promise<void>;
}

const PAGES = join(import.meta.dirname, '../../dist/ui');

/** Rejects with a sentence when something needed cannot be had; nothing is left open then. */
export async function openRuntime(
  options: StartOptions,
  { inForce, warnings }: Pick<Runtime, 'inForce' | 'warnings'>,
): Promise<Runtime> {
  await using opened = new AsyncDisposableStack();
  const { clock, version, env } = options;
  const { settings } = options.config;
  const runtimeLogs = await openLogs(settings, clock, options.log);
  opened.defer(runtimeLogs.close);
  const { logs } = runtimeLogs;
  const log = logs.named('service');
  const { trustedHeadersFile = TRUSTED_HEADERS_FILES.mounted } = options;
  const listFiles = { ...TRUSTED_HEADERS_FILES, mounted: trustedHeadersFile };
  const trustedHeaders = await openTrustedHeaders(listFiles, () => inForce().config, log);
  opened.defer(() => trustedHeaders.close());
  const counters = openTelemetry({ settings, version, env, trustedHeaders, logs, clock, inForce });
  const { metrics, recent } = counters;
  runtimeLogs.onAuditFault((lines) => metrics.auditWriteErrors.add(lines));
  const store = await openStore({ url: `sqlite:${settings.store.url.file}` });
  opened.defer(() => store.close());
  const accounts = await openAccounts(options, store, logs, metrics, recent);
  opened.defer(() => accounts.close());
  const openStreams = createOpenStreams({
    version: store.version,
    recheck: (caller) => inForce().accounts.recheck(caller),
    clock,
    onFault: (fault) =>
      log.error({ err: fault }, 'who holds open streams could not be looked at: the next look is in a second'),
  });
  opened.defer(() => openStreams.close());
  const certificates = await openCertificates(settings, clock, log);
  opened.defer(() => certificates?.close());
  const closing = opened.move();
  return {
    options,
    clock,
    startedAt: unixSeconds(clock),
    logs,
    log,
    counters,
    trustedHeaders,
    store,
    accounts,
    openStreams,
    unknownRoutes: createUnknownRoutes(clock),
    pages: readBuiltPages(PAGES),
    certificates,
    inForce,
    warnings,
    close: () => closing.disposeAsync(),
  };
}
