/** The holder of an open stream (its session, API token or proxy user), and when the session or token ends (SPEC 4.2). */
import type { Caller } from '../../domain/caller.ts';

/** Many requests share one caller object. */
const holders = new WeakMap<Caller, string>();

export function holderOf(caller: Caller): string | undefined {
  const known = holders.get(caller);
  if (known !== undefined) return known;
  const holder = holderNamed(caller);
  if (holder !== undefined) holders.set(caller, holder);
  return holder;
}

/** Streams of one holder end together. Undefined for the internal listener, whose rights cannot end. */
function holderNamed({ name, role, roles = [role], credential }: Caller): string | undefined {
  switch (credential.kind) {
    case 'session':
      return `${credential.kind} ${credential.tokenId} ${name}`;
    case 'api-token':
      return [credential.kind, credential.tokenId, name, credential.session?.tokenId].join(' ');
    case 'link':
      return `${credential.kind} ${credential.linkId}`;
    case 'screen':
      return `${credential.kind} ${credential.screenId}`;
    case 'proxy-headers':
      // No person's newer token keeps alive what was begun with an older one.
      return `${credential.kind} ${credential.expiresAt ?? ''} ${roles.join(',')} ${name}`;
    case 'view-as':
      return `${credential.kind} ${holderOf(credential.by)} ${name}`;
    case 'internal-listener':
      return undefined;
  }
}

/**
 * Unix seconds: when the caller's session or token is over, or the clock changes its rights. Plain headers of a proxy and
 * the internal listener name no end.
 */
export const endOf = ({ credential, changesAt = Number.POSITIVE_INFINITY }: Caller): number =>
  credential.kind === 'view-as'
    ? Math.min(endOf(credential.by), changesAt)
    : Math.min(('expiresAt' in credential ? credential.expiresAt : undefined) ?? Number.POSITIVE_INFINITY, changesAt);
