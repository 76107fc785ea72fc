/** The upstream for figures that must not be the upstream's own: nginx where it is installed, else Node. */
import { HAS_NGINX, nginxUpstream } from '../start-nginx.ts';
import { type StartedServer, startServer } from '../start-server.ts';

export const startFastUpstream = (): Promise<StartedServer> =>
  HAS_NGINX ? nginxUpstream() : startServer('upstream', 1);
