/** A certificate that has ended, or soon will, for `postern check` (SPEC 1). */
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Problem } from '../../config/problems/problems.ts';
import type { ServiceConfig } from '../../config/service-config.ts';

const SOON_MS = 14 * 86_400_000;

/** Empty where there is none yet: the first start makes one. `now`: milliseconds. */
export async function certificateWarning(
  { settings: { tls }, placed }: Pick<ServiceConfig, 'settings' | 'placed'>,
  now: number,
): Promise<readonly Problem[]> {
  const pem = tls.enabled ? await readFile(tls.certificate, 'utf8').catch(() => undefined) : undefined;
  if (pem === undefined) return [];
  const path = ['tls', 'certificate'];
  const end = endOf(pem);
  if (end === undefined) return []; // a start ends with it: see check-start.ts
  const day = end.toISOString().slice(0, 10);
  if (end.getTime() <= now)
    return [
      placed({
        path,
        message: `the certificate ended on ${day} and browsers refuse it: put a valid certificate there`,
      }),
    ];
  if (end.getTime() - now > SOON_MS) return [];
  return [placed({ path, message: `the certificate ends on ${day}: put a new certificate there before that day` })];
}

function endOf(pem: string): Date | undefined {
  try {
    return new X509Certificate(pem).validToDate;
  } catch {
    return undefined;
  }
}
