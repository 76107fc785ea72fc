/** Loaded into a server before its program: tells its parent, when asked, what it holds open and in memory. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

process.on('message', (question) => {
  if (question !== 'resources') return;
  collectGarbage();
  collectGarbage(); // what the first one's finalizers let go of
  const byType: Record<string, number> = {};
  for (const type of process.getActiveResourcesInfo()) byType[type] = (byType[type] ?? 0) + 1;
  process.send?.({ byType, memory: process.memoryUsage() });
});
process.channel?.unref(); // listening to the parent must not keep the server alive
