/** Identifies the caller: the identity sources are asked in order, until one is not silent (SPEC 3). */

import { type MaybePromise, mapMaybe } from '../../domain/maybe-promise.ts';
import type { RequestFacts } from '../../domain/request.ts';
import type { IdentitySource, IdentityVerdict } from '../../domain/verdict.ts';

const SILENT: IdentityVerdict = { kind: 'silent' };

export const identify = (request: RequestFacts, sources: readonly IdentitySource[]): MaybePromise<IdentityVerdict> =>
  askFrom(0, request, sources);

function askFrom(at: number, request: RequestFacts, sources: readonly IdentitySource[]): MaybePromise<IdentityVerdict> {
  const source = sources[at];
  if (!source) return SILENT;
  return mapMaybe(source.identify(request), (verdict) =>
    verdict.kind === 'silent' ? askFrom(at + 1, request, sources) : verdict,
  );
}
