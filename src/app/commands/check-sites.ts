/** What `postern check` finds by the store where several sites share it: another secret, and what the start warns of (SPEC 20). */
import { findSigningSecret } from '../../accounts/sessions/signing-secret.ts';
import { formatProblem } from '../../config/problems/problems.ts';
import type { ServiceConfig } from '../../config/service-config.ts';
import { messageOf } from '../../domain/message-of.ts';
import { otherSecret, sitesOfOtherSecret } from '../accounts/site-publisher.ts';
import { siteWarnings } from '../accounts/site-warnings.ts';
import { openStoreReadOnly } from './read-only.ts';

/** Sentences. */
export interface SiteFindings {
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

const NOTHING: SiteFindings = { problems: [], warnings: [] };

export interface CheckedPlace {
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export async function checkSites(config: ServiceConfig, place: CheckedPlace): Promise<SiteFindings> {
  const { settings, file, placed } = config;
  const own = settings.server.site;
  if (own === undefined) return NOTHING;
  try {
    const store = await openStoreReadOnly(settings);
    if (!store) return NOTHING; // before the first start
    try {
      const others = await sitesWithOtherSecret(own, await store.sites.listSites(), place);
      const secret = others.length > 0 ? [placed({ path: ['server', 'site'], message: otherSecret(others) })] : [];
      const problems = secret.map((problem) => formatProblem(file, problem));
      return { problems, warnings: await siteWarnings(settings, store, settings.nvr.cameras) };
    } finally {
      await store.close();
    }
  } catch (fault) {
    return { problems: [], warnings: [`the sites were not compared, the store cannot be read: ${messageOf(fault)}`] };
  }
}

async function sitesWithOtherSecret(
  own: string,
  records: Parameters<typeof sitesOfOtherSecret>[0],
  { directory, env }: CheckedPlace,
): Promise<readonly string[]> {
  const places = { environment: env, configDirectory: directory };
  const secret = await findSigningSecret(places, 'refuse');
  return secret.ok ? sitesOfOtherSecret(records, own, secret.value.keyId) : [];
}
