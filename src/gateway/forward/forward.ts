/** Step 6. Passing a judged request on and its answer back, both as streams (SPEC 6). */
import { createRequestForwarder } from './forward-request.ts';
import { createUpgradeForwarder } from './forward-upgrade.ts';
import type { Forwarder, ForwardRules } from './forwarder.ts';

export function createForwarder(rules: ForwardRules): Forwarder {
  const requests = createRequestForwarder(rules);
  const forwardUpgrade = createUpgradeForwarder(rules);
  return {
    // A client that was gone before its request was judged will not close again: nobody would end the upstream's.
    web: (request, response, upstream, judged) => {
      if (!request.socket.destroyed) requests.send(request, response, upstream, judged);
    },
    upgrade: (request, socket, head, upstream, judged) => {
      if (!socket.destroyed) forwardUpgrade(request, socket, head, upstream, judged);
    },
    close: requests.close,
  };
}
