/** Step 3. Who is calling? The sources are asked in order, until one has something to say (SPEC 3). */
import type { RequestFacts } from '../domain/request.ts';
import type { IdentitySource, IdentityVerdict } from '../domain/verdict.ts';

const NOBODY: IdentityVerdict = { kind: 'silent' };

export async function identify(request: RequestFacts, sources: readonly IdentitySource[]): Promise<IdentityVerdict> {
  for (const source of sources) {
    const verdict = await source.identify(request);
    if (verdict.kind !== 'silent') return verdict;
  }
  return NOBODY;
}
