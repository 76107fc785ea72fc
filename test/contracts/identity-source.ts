/** What every identity source must keep, so that the gateway can ask them in turn and believe the answer. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { IdentitySource, IdentityVerdict } from '../../src/domain/caller.ts';
import { REFUSALS } from '../../src/domain/refusal.ts';
import type { RequestFacts } from '../../src/domain/request.ts';
import { type HeaderLine, someRequest } from '../support/request-facts.ts';

export interface IdentitySourceSubject {
  /** A new source each time, of the same configuration. */
  readonly create: () => IdentitySource;
  /** Credentials of this source's kind that are good; undefined when none are needed to tell. */
  readonly good: readonly RequestFacts[];
  /** Credentials of its kind that are present and bad: forged, repeated, cut off. */
  readonly bad: readonly RequestFacts[];
  /** Requests with nothing of its kind, that another source must judge. */
  readonly foreign: readonly RequestFacts[];
}

const NAMES = [
  'Authorization',
  'Cookie',
  'X-Proxy-Secret',
  'Remote-User',
  'Remote_User',
  'Remote-Role',
  'X-Forwarded-User',
  'X-Forwarded-Groups',
  'X-Server-Port',
  '__proto__',
  'constructor',
  '',
  'Host',
];
const VALUES = [
  'Bearer',
  'Bearer x',
  'bearer good',
  'Basic eDp5',
  'frigate_token=',
  'frigate_token=x',
  'admin',
  'vera',
  'anonymous',
  '\u0000',
  '\u00ff',
  '',
];

/** Any header lines at all, among them headers that a source reads. */
export const anyHeaders: fc.Arbitrary<HeaderLine[]> = fc.array(
  fc.tuple(
    fc.oneof(fc.constantFrom(...NAMES), fc.string()),
    fc.oneof(fc.constantFrom(...VALUES), fc.string({ unit: 'binary' })),
  ),
);

const anyRequest: fc.Arbitrary<RequestFacts> = fc
  .tuple(anyHeaders, fc.constantFrom('external', 'internal'), fc.constantFrom('10.0.0.1', '192.0.2.9', '::1', ''))
  .map(([headers, listener, peer]) => someRequest({ listener, peer }, headers));

export function itIsAnIdentitySource(name: string, subject: IdentitySourceSubject): void {
  const ask = async (request: RequestFacts): Promise<IdentityVerdict> => subject.create()(request);

  describe(`As every identity source, the ${name} source`, () => {
    it('knows the caller by good credentials', async () => {
      for (const request of subject.good) assert.equal((await ask(request)).kind, 'identified');
    });

    it('refuses bad credentials of its kind, and is never silent about them', async () => {
      for (const request of subject.bad)
        assert.equal((await ask(request)).kind, 'refused', JSON.stringify(request.rawHeaders));
    });

    it('is silent about what is not its own', async () => {
      for (const request of subject.foreign) assert.deepEqual(await ask(request), { kind: 'silent' });
    });

    it('never throws, and gives a whole verdict, whatever the headers', async () => {
      await fc.assert(
        fc.asyncProperty(anyRequest, async (request) => {
          const verdict = await ask(request);
          if (verdict.kind === 'refused') assert.ok(Object.hasOwn(REFUSALS, verdict.reason), verdict.reason);
          if (verdict.kind === 'identified') assert.ok(verdict.caller.name !== '' && verdict.caller.role !== '');
        }),
      );
    });

    it('says the same of the same request, twice and anew', async () => {
      await fc.assert(
        fc.asyncProperty(anyRequest, async (request) => {
          const source = subject.create();
          const first = await source(request);
          assert.deepEqual(await source(request), first);
          assert.deepEqual(await ask(request), first);
        }),
      );
    });

    it('leaves the request as it was', async () => {
      for (const request of [...subject.good, ...subject.bad, ...subject.foreign]) {
        const before = structuredClone({ ...request, headers: { ...request.headers } });
        await ask(request);
        assert.deepEqual({ ...request, headers: { ...request.headers } }, before);
      }
    });
  });
}
