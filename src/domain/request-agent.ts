/** The `User-Agent` of a request as it may be kept: a client may have put an address with a secret into it. */
import { maskSecrets } from './mask-secrets.ts';
import { type RequestFacts, singleHeader } from './request.ts';

export function agentOf(request: RequestFacts): string | undefined {
  const agent = singleHeader(request, 'user-agent');
  return agent && maskSecrets(agent);
}
