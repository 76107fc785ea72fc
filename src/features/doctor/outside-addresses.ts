/** Addresses at which machines other than this one, or than this container's network, may reach the NVR's ports. Pure. */
import { trustedNetworks } from '../../domain/addresses.ts';
import type { NetworkInterface, NetworkSurroundings } from '../feature.ts';

interface OutsideAddresses {
  /** Addresses of this machine. In a container: those of its networks. */
  readonly own: readonly string[];
  /** Addresses of other machines: the host of a container, and the NVR's where it is on no network of its own. */
  readonly others: readonly string[];
}

/** Networks between containers or virtual machines of one host: other machines are not on them. */
const WITHIN_A_HOST = /^(?:docker|br-|veth|virbr|podman|cni|lxcbr|lxdbr)/;
const LINK_LOCAL = /^fe80:/i;
const LOOPBACK = /^(?:127\.|::1$|::ffff:127\.)/i;

export function outsideAddresses({
  isContainer,
  interfaces,
  routes,
  nvrAddress,
}: NetworkSurroundings): OutsideAddresses {
  const isShared = ({ name }: NetworkInterface): boolean => isContainer || !WITHIN_A_HOST.test(name);
  const own = interfaces.filter((one) => !one.internal && !LINK_LOCAL.test(one.address) && isShared(one));
  const host = isContainer ? gatewayIn(routes) : undefined;
  const nvr = nvrAddress !== undefined && isOutside(nvrAddress, isContainer, interfaces) ? nvrAddress : undefined;
  const ownAddresses = own.map(({ address }) => address);
  const others = [host, nvr].filter((address) => address !== undefined && !ownAddresses.includes(address));
  return { own: ownAddresses, others: [...new Set(others as string[])] };
}

/** A container shares a network with the NVR alone, or with few others; a machine shares its network with every other on it. */
function isOutside(address: string, isContainer: boolean, interfaces: readonly NetworkInterface[]): boolean {
  if (LOOPBACK.test(address)) return false;
  const through = interfaces.find(({ cidr }) => cidr !== null && trustedNetworks([cidr]).includes(address));
  return through === undefined || !(isContainer || WITHIN_A_HOST.test(through.name));
}

/** The gateway of the default route in the kernel's table: `eth0 00000000 0100A8C0 0003 …`, its bytes reversed. */
function gatewayIn(table: string): string | undefined {
  const rows = table.split('\n').map((line) => line.split('\t'));
  const row = rows.find(([, to, gateway]) => to === '00000000' && gateway !== '00000000');
  const bytes = /^(\w\w)(\w\w)(\w\w)(\w\w)$/.exec(row?.[2]?.trim() ?? '')?.slice(1);
  return bytes
    ?.reverse()
    .map((byte) => Number.parseInt(byte, 16))
    .join('.');
}
