/** Who must wait at the login, and the devices that logins come from, as people are told of both (SPEC 4.2, 4.5). */
import { networkKey } from '../addresses.ts';
import type { LoginPlace } from './notice.ts';

/** `address` and `network`: wrong passwords from there; `codes`: wrong codes of one account; `pins`: wrong PINs of one link. */
export const BLOCK_KINDS = ['address', 'network', 'codes', 'pins'] as const;
export type BlockKind = (typeof BLOCK_KINDS)[number];

const SYSTEM = /iPhone|iPad|Android|Windows|Mac OS X|CrOS|Linux/;
const BROWSER = /HomeAssistant|Home Assistant|Edg|OPR|SamsungBrowser|Firefox|FxiOS|CriOS|Chrome|Safari/;
const PRODUCT = /^[^\s/;]{1,60}/;

/** `Firefox, Windows`; of a program that is no browser the name before its version. An update of a browser is no new device. */
export function deviceOf(agent: string): string {
  const [browser, system] = [BROWSER.exec(agent)?.[0], SYSTEM.exec(agent)?.[0]];
  const named = [browser, system].filter((part) => part !== undefined).join(', ');
  return named || (PRODUCT.exec(agent)?.[0] ?? '');
}

/** The device and the network of a login, as roughly as a person tells them apart: an update of a browser is no new device. */
export const toPlace = (address: string, agent: string | undefined): LoginPlace => ({
  device: deviceOf(agent ?? ''),
  network: networkKey(address),
});
