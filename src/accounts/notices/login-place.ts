/** The device and the network of a login, told apart as roughly as a person would: an update of a browser is no new device (SPEC 12). */
import type { LoginPlace } from '../../domain/accounts/notice.ts';
import { networkKey } from '../login/client-key.ts';

const SYSTEM = /iPhone|iPad|Android|Windows|Mac OS X|CrOS|Linux/;
const BROWSER = /HomeAssistant|Home Assistant|Edg|OPR|SamsungBrowser|Firefox|FxiOS|CriOS|Chrome|Safari/;
const PRODUCT = /^[^\s/;]{1,60}/;

export const placeOf = (address: string, agent: string | undefined): LoginPlace => ({
  device: deviceOf(agent ?? ''),
  network: networkKey(address),
});

/** `Firefox, Windows`; of a program that is no browser the name before its version. */
function deviceOf(agent: string): string {
  const [browser, system] = [BROWSER.exec(agent)?.[0], SYSTEM.exec(agent)?.[0]];
  const named = [browser, system].filter((part) => part !== undefined).join(', ');
  return named || (PRODUCT.exec(agent)?.[0] ?? '');
}
