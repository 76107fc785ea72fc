/** Several Posterns that share one PostgreSQL database and one signing secret, as behind a balancer. */
import { randomBytes } from 'node:crypto';
import { type ConfigTree, type Runtime, startInstance } from '../../support/start-instance.ts';

export interface Replicas {
  /** In the order in which they were started. */
  readonly all: readonly Runtime[];
  close(): Promise<void>;
}

/** The first one makes the people; all of them see the same. */
export async function startReplicas(count: number, storeUrl: string, config: ConfigTree = {}): Promise<Replicas> {
  const env = { SERVICE_JWT_SECRET: randomBytes(48).toString('hex') };
  const all: Runtime[] = [];
  for (let started = 0; started < count; started++) {
    const given = { ...config, store: { url: storeUrl, ...(config['store'] as object) } };
    all.push(await startInstance({ config: given, env, ...(started === 0 ? {} : { people: [] }) }));
  }
  return { all, close: async () => void (await Promise.all(all.map((replica) => replica.close()))) };
}
