/** What becomes of a WebSocket upgrade: 101, or the status of its refusal. */
import { WebSocket } from 'ws';

export type UpgradeOutcome = number;

export function upgradeOutcome(url: string, token: string | undefined): Promise<UpgradeOutcome> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const socket = new WebSocket(url.replace(/^http/, 'ws'), { headers });
  return new Promise((resolve) => {
    socket.once('unexpected-response', (_, response) => {
      socket.terminate();
      resolve(response.statusCode ?? 0);
    });
    socket.once('open', () => {
      socket.terminate();
      resolve(101);
    });
    socket.on('error', () => {});
  });
}
