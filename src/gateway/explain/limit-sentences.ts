/** What limits roles now, a sentence each, for `explain` (SPEC 13). Pure. */
import type { Role } from '../../domain/names.ts';
import { openingAt, wallText } from '../../domain/rights/opening.ts';
import type { ActiveRoles } from '../../domain/rights/role-limits.ts';

export const limitSentences = (roles: readonly Role[], { limits, zone }: ActiveRoles, now: number): readonly string[] =>
  roles.flatMap((role) => {
    const { hours, historySince, deny = [] } = limits.get(role) ?? {};
    const opening = hours && openingAt(hours, zone, now);
    const until = opening?.changesAt === undefined ? '' : ` until ${wallText(opening.changesAt, zone)}`;
    return [
      ...(hours && opening
        ? [`${role} may be used ${hours.texts.join('; ')} (${zone}): ${opening.isOpen ? 'open' : 'closed'}${until}`]
        : []),
      ...(historySince ? [`${role} sees back ${historySince.text}`] : []),
      ...(deny.length > 0 ? [`${role} may not: ${deny.join(', ')}`] : []),
    ];
  });
