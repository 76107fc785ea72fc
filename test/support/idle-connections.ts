/** Lets go of the connections that `fetch` keeps: a server that closes would wait until they have been idle for long enough. */

interface Agent {
  close(): Promise<void>;
}
const AGENT = Symbol.for('undici.globalDispatcher.1');
const agents = globalThis as { [AGENT]?: Agent };

/** Requests under way go on, and the next ones make connections of their own. */
export function leaveIdleConnections(): void {
  const agent = agents[AGENT];
  if (agent === undefined) return; // nothing was fetched
  agents[AGENT] = Reflect.construct(agent.constructor, []);
  setImmediate(() => void agent.close()); // then a request that was just made has reached its agent
}
