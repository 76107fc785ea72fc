/** Requests as facts, for tests of decisions that need no socket. */
import type { RequestFacts } from '../../src/domain/request.ts';

export interface FactsOverrides extends Partial<Omit<RequestFacts, 'headers' | 'rawHeaders'>> {
  readonly headers?: Readonly<Record<string, string>>;
}

/** A GET of `/` from 192.0.2.1 on the external listener, but for what is given. */
export function factsOf({ headers = { host: 'nvr.test' }, ...rest }: FactsOverrides): RequestFacts {
  return {
    listener: 'external',
    method: 'GET',
    target: '/',
    httpVersion: '1.1',
    peer: '192.0.2.1',
    encrypted: false,
    isUpgrade: false,
    pipelinedBytes: 0,
    ...rest,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    rawHeaders: Object.entries(headers).flat(),
  };
}
