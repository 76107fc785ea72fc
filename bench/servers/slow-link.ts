/** A TCP link to a port of this machine that makes each round trip so many milliseconds longer. */
import { openSlowLink } from '../../test/support/servers/slow-link.ts';

const [port, milliseconds] = process.argv.slice(2).map(Number);
const link = await openSlowLink(port ?? 0);
link.setDelay(milliseconds ?? 0);
console.log(link.port);
