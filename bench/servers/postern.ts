/** The whole of Postern before the upstream that is its argument. Prints its port, then a viewer's session token. */
import { VERA } from '../../test/support/people.ts';
import { startHouse } from '../../test/support/start-house.ts';

const house = await startHouse({
  config: { nvr: { url: process.argv[2] ?? '', cameras: ['cam1'] }, logger: { default: 'warning' } },
});
console.log(house.port);
console.log(await house.logIn(VERA));
