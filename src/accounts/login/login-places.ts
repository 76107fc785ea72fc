/** The device and the network of each login: the account's person is told of new ones, never in the way of an answer (SPEC 12). */
import type { LoginPlace } from '../../domain/accounts/notice.ts';
import { createPersonQueues } from '../../domain/async.ts';
import { type Clock, unixSeconds } from '../../domain/clock.ts';
import type { UserName } from '../../domain/names.ts';
import type { LoginPlaceStore } from '../../store/accounts/logins.ts';
import type { AuditEntry } from '../audit.ts';
import { networkKey } from './client-key.ts';

/** Logins of one user that wait for the store. */
const MOST_WAITING = 100;

/** `onNew`: the user has not logged in from there before. `onFault`: the place could not be kept. */
export function createLoginPlaces({
  store,
  clock,
  onNew,
  onFault,
}: {
  readonly store: Pick<LoginPlaceStore, 'notePlace'>;
  readonly clock: Clock;
  readonly onNew: (login: AuditEntry, part: keyof LoginPlace) => void;
  readonly onFault: (fault: unknown) => void;
}) {
  const { add, settled } = createPersonQueues<() => Promise<void>>(MOST_WAITING, (look) => look().catch(onFault));
  return {
    /** Looks at successful logins; returns at once. */
    note(entry: AuditEntry): void {
      const { what, verdict, who, from, agent } = entry;
      if (what !== 'login' || verdict !== 'allowed' || who === undefined) return;
      const at = unixSeconds(clock);
      const isTaken = add(who, async () => {
        // The login was allowed: the name is that of a user.
        for (const part of await store.notePlace(who as UserName, toPlace(from, agent), at)) onNew(entry, part);
      });
      if (!isTaken) onFault(new Error(`${MOST_WAITING} logins of this user wait for the store already`));
    },
    /** Writes what waits. */
    close: settled,
  };
}

const SYSTEM = /iPhone|iPad|Android|Windows|Mac OS X|CrOS|Linux/;
const BROWSER = /HomeAssistant|Home Assistant|Edg|OPR|SamsungBrowser|Firefox|FxiOS|CriOS|Chrome|Safari/;
const PRODUCT = /^[^\s/;]{1,60}/;

/** Distinguished as roughly as a person would: an update of a browser is no new device. */
export const toPlace = (address: string, agent: string | undefined): LoginPlace => ({
  device: deviceName(agent ?? ''),
  network: networkKey(address),
});

/** `Firefox, Windows`; of a program that is no browser the name before its version. */
function deviceName(agent: string): string {
  const [browser, system] = [BROWSER.exec(agent)?.[0], SYSTEM.exec(agent)?.[0]];
  const named = [browser, system].filter((part) => part !== undefined).join(', ');
  return named || (PRODUCT.exec(agent)?.[0] ?? '');
}
