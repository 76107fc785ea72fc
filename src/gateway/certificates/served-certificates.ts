/** The certificate of the external listener: read from the operator's files, or self-signed, made and renewed here (SPEC 1, `tls`). */
import { hostname, networkInterfaces } from 'node:os';
import type { Logger } from 'pino';
import { missingTlsFiles } from '../../config/named-files.ts';
import { formatProblems } from '../../config/problems/problems.ts';
import type { ServiceConfig } from '../../config/service-config.ts';
import { type Clock, hourly } from '../../domain/clock.ts';
import {
  type CertificatePair,
  isNearEnd,
  type JudgedPair,
  makeAndKeep,
  readPair,
  renew,
  watchPair,
} from './certificates.ts';
import type { CertificateSubject } from './self-signed.ts';

interface ServedCertificate extends CertificatePair {
  /** Seconds of `Strict-Transport-Security`; undefined: the header is not sent. */
  readonly hstsSeconds: number | undefined;
}

export interface Certificates {
  current(): ServedCertificate;
  /** Calls back with every later certificate. */
  onChange(use: (certificate: ServedCertificate) => void): void;
  /** Why the files as they are now are not served; undefined when they are. */
  problem(): string | undefined;
  close(): void;
}

const STAYS = 'the previous certificate stays in use';

/** Undefined when `tls.enabled` is false. Rejects with a sentence when what is there cannot be served, or nothing can be kept. */
export async function openCertificates(
  config: ServiceConfig,
  clock: Clock,
  log: Logger,
): Promise<Certificates | undefined> {
  const { tls } = config.settings;
  if (!tls.enabled) return undefined;
  const missing = await missingTlsFiles(config);
  if (missing.length > 0) throw new Error(formatProblems(config.file, missing));
  const files = { certificate: tls.certificate, privateKey: tls.private_key };
  const read = await readPair(files);
  if (!read.ok) throw new Error(read.error);
  const first = read.value ?? (await makeAndKeep(files, thisMachine(clock)));
  const runtime: ServedPair = { files, serving: createServing(first, tls.hsts), clock, log };
  await renewNearEnd(runtime);
  const { serving } = runtime;
  if (serving.pair().expiresAt <= clock.now()) {
    log.warn(
      `${files.certificate} ended on ${dayOf(serving.pair())} and browsers refuse it: put a valid certificate there`,
    );
  }
  let refused: string | undefined;
  const stop = watchPair(files, {
    onGood(pair) {
      refused = serveWhatIsThere(pair, runtime);
    },
    onBad(problem) {
      refused = problem;
      log.error(`${problem}; ${STAYS}`);
    },
  });
  const stopRenewing = hourly(() => renewNearEnd(runtime));
  return {
    current: serving.current,
    onChange: serving.onChange,
    problem: () => refused,
    close() {
      stopRenewing();
      stop();
    },
  };
}

interface ServedPair {
  readonly files: CertificatePair;
  readonly serving: ReturnType<typeof createServing>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The pair that is served now, and those to be told of the next. */
function createServing(first: JudgedPair, hstsSeconds: number) {
  let pair = first;
  const uses: ((certificate: ServedCertificate) => void)[] = [];
  const current = (): ServedCertificate => ({ ...pair, hstsSeconds: pair.isOurs ? undefined : hstsSeconds });
  return {
    pair: () => pair,
    current,
    onChange: (use: (certificate: ServedCertificate) => void): void => void uses.push(use),
    serve(next: JudgedPair): void {
      pair = next;
      for (const use of uses) use(current());
    },
  };
}

/** Gives why it is not served. */
function serveWhatIsThere(pair: JudgedPair, { files, serving, clock, log }: ServedPair): string | undefined {
  const { certificate, privateKey } = serving.pair();
  if (pair.certificate === certificate && pair.privateKey === privateKey) return undefined;
  if (pair.expiresAt <= clock.now()) {
    const problem = `${files.certificate} ended on ${dayOf(pair)}: put a valid certificate there`;
    log.error(`${problem}; ${STAYS}`);
    return problem;
  }
  serving.serve(pair);
  log.info({ file: files.certificate, expires: dayOf(pair) }, 'a new certificate is served');
  return undefined;
}

async function renewNearEnd({ files, serving, clock, log }: ServedPair): Promise<void> {
  const pair = serving.pair();
  if (!isNearEnd(pair, clock.now())) return;
  try {
    serving.serve(await renew(pair, files, thisMachine(clock)));
    log.info({ file: files.certificate, expires: dayOf(serving.pair()) }, 'the self-signed certificate was renewed');
  } catch (cause) {
    const step = 'make the file and its directory writable for this user';
    log.error({ err: cause }, `${files.certificate} ends on ${dayOf(pair)} and cannot be renewed: ${step}`);
  }
}

const dayOf = ({ expiresAt }: JudgedPair): string => new Date(expiresAt).toISOString().slice(0, 10);

function thisMachine(clock: Clock): CertificateSubject {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
  const withoutZones = addresses.map((address) => address.replace(/%.*$/, ''));
  const host = hostname();
  const isName = /^[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(host);
  const names = ['localhost', ...(isName ? [host, `${host}.local`] : []), '127.0.0.1', '::1', ...withoutZones];
  return { names: [...new Set(names)], now: clock.now() };
}
