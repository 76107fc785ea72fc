/** A client that is loaded by the first request that needs it. */
import { NOTHING_BEGUN } from '../upstream/exchange.ts';
import type { UpstreamClient } from './upstream-client.ts';

export function createLazyClient(load: () => Promise<UpstreamClient>): UpstreamClient {
  let client: UpstreamClient | undefined;
  let loading: Promise<UpstreamClient> | undefined;
  let isClosed = false;
  const loadOnce = async (): Promise<UpstreamClient> => {
    client = await load();
    if (isClosed) client.close();
    return client;
  };
  return {
    dispatch(asked) {
      if (client) return client.dispatch(asked);
      loading ??= loadOnce();
      loading.then(
        (loaded) => loaded.dispatch(asked),
        (fault: Error) => asked.handler.onResponseError(NOTHING_BEGUN, fault),
      );
    },
    close() {
      isClosed = true;
      client?.close();
    },
  };
}
