/** The targets by name; each is loaded when it is wanted, so that the modules of one are counted alone. */
import type { FuzzTarget } from './target.ts';

type Load = () => Promise<{ readonly fuzzTarget: FuzzTarget }>;

export const TARGETS: Readonly<Record<string, Load>> = {
  'request-head': () => import('./request-head.ts'),
  'request-target': () => import('./request-target.ts'),
  'request-body': () => import('./request-body.ts'),
  cookies: () => import('./cookies.ts'),
  'session-token': () => import('./session-token.ts'),
  'policy-yaml': () => import('./policy-yaml.ts'),
  'config-yaml': () => import('./config-yaml.ts'),
  narrowing: () => import('./narrowing.ts'),
  messages: () => import('./messages.ts'),
  offers: () => import('./offers.ts'),
  'response-head': () => import('./response-head.ts'),
  'upstream-response': () => import('./upstream-response.ts'),
};
