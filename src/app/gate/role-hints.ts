/** Why a user of single sign-on has not the role that was meant: what is likely wrong, a sentence each (SPEC 15). Pure. */
import { nearest } from '../../config/problems/nearest.ts';
import type { Settings } from '../../config/schema/schema.ts';
import type { Explanation } from '../../gateway/explain/explanation.ts';
import { decodedText } from '../../identity/identity-header.ts';

type ExplainedRole = Pick<Explanation, 'groups' | 'headers' | 'rule'>;
type Configured = Pick<Settings, 'auth' | 'proxy'>;

/** Not `:`, nor a blank: `other-client:admin` would become a role of ours, and "Domain admin" too. */
const SEPARATORS = [',', ';', '|'];
const ENCODINGS = ['percent', 'rfc2047'] as const;
const NAMES_GROUPS = /group|role/;

/** Empty with accounts of Postern's own, and when a group or a role name gave the role. */
export function roleHints(told: ExplainedRole, settings: Configured): readonly string[] {
  const { auth, proxy } = settings;
  const isMatched = told.rule !== undefined && !/^no value of the role header/.test(told.rule);
  if (auth.enabled || isMatched || told.rule === undefined) return [];
  const known = knownNames(settings);
  const what = proxy.role_map.size > 0 ? 'groups in proxy.role_map' : 'roles there are';
  const groups = told.groups.length === 0 ? headerHints(told, settings) : groupHints(told.groups, known, settings);
  return [...groups, `${what}: ${known.join(', ') || 'none'}`];
}

const knownNames = ({ auth, proxy }: Configured): readonly string[] =>
  proxy.role_map.size > 0 ? [...proxy.role_map.values()].flat() : ['admin', 'viewer', ...auth.roles.keys()];

/** No group arrived. */
function headerHints({ headers }: ExplainedRole, { proxy }: Configured): readonly string[] {
  const mapped = proxy.header_map.role;
  if (mapped === undefined)
    return ['proxy.header_map.role is not set, so no header gives a role: name the header that holds the groups'];
  const own = headers.find(({ name }) => name === mapped);
  if (own?.fate === 'dropped' && own.why !== 'empty')
    return [`the header "${mapped}" arrived and was dropped: ${own.why}`];
  if (own) return [`the header "${mapped}" arrived empty: check that the proxy knows the groups of this user`];
  const other = headers.find(({ name }) => NAMES_GROUPS.test(name));
  if (other)
    return [
      `the header "${mapped}" did not arrive, and "${other.name}" did: set proxy.header_map.role to that one if it holds the groups`,
    ];
  return [`the header "${mapped}" did not arrive: let the proxy send the groups under this name`];
}

function groupHints(groups: readonly string[], known: readonly string[], { proxy }: Configured): readonly string[] {
  const {
    separator,
    header_map: { encoding },
  } = proxy;
  const hints = groups.flatMap((group) => {
    const joint = SEPARATORS.find(
      (each) => each !== separator && parts(group, each).some((part) => known.includes(part)),
    );
    if (joint !== undefined)
      return [
        `"${group}" looks like several groups joined by ${JSON.stringify(joint)}, and proxy.separator is ${JSON.stringify(separator)}`,
      ];
    const written = ENCODINGS.find((each) => each !== encoding && known.includes(decodedText(group, each) ?? ''));
    if (written !== undefined) return [`the group "${group}" is encoded: set proxy.header_map.encoding to ${written}`];
    const alike = known.find((name) => name.toLowerCase() === group.toLowerCase());
    if (alike !== undefined)
      return [`the group "${group}" differs from "${alike}" of proxy.role_map in upper and lower case`];
    const meant = nearest(group, known);
    return meant === undefined ? [] : [`the group "${group}" is nearly "${meant}"`];
  });
  return hints.length > 0 ? hints : [`none of the groups that arrived (${groups.join(', ')}) is known`];
}

const parts = (text: string, separator: string): readonly string[] => text.split(separator).map((part) => part.trim());
