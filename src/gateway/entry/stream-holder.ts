/** Whose an open stream is, and until when its session or token is valid (SPEC 4.2). */
import type { Caller } from '../../domain/caller.ts';

/** A caller is often the same for many requests. */
const holders = new WeakMap<Caller, string>();

export function holderOf(caller: Caller): string | undefined {
  const known = holders.get(caller);
  if (known !== undefined) return known;
  const holder = holderNamed(caller);
  if (holder !== undefined) holders.set(caller, holder);
  return holder;
}

/** Who would lose all of them together; undefined for those who lose nothing. */
function holderNamed({ name, role, credential }: Caller): string | undefined {
  switch (credential.kind) {
    case 'session':
    case 'api-token':
      return `${credential.kind} ${credential.tokenId} ${name}`;
    case 'proxy-headers':
      return `${credential.kind} ${role} ${name}`;
    case 'internal-listener':
      return undefined;
  }
}

/** Unix seconds: when the caller's session or token is over. Headers of a proxy and the internal listener name no end. */
export const endOf = ({ credential }: Caller): number =>
  ('expiresAt' in credential ? credential.expiresAt : undefined) ?? Number.POSITIVE_INFINITY;
