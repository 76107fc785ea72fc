/** A listener at a path: who may reach it, and a file that a dead process left behind. */
import { chmod, unlink } from 'node:fs/promises';
import { connect, type Server } from 'node:net';

/** Only its owner and its group, such as a proxy's, may connect. */
const OWNER_AND_GROUP = 0o660;

/** A socket file at which nothing answers any more is removed; one that answers is left, and listening fails. */
export async function makeRoomAt(path: string): Promise<void> {
  if (await isDead(path)) await unlink(path);
}

export function letGroupConnect(server: Server, path: string): void {
  server.once('listening', () => void chmod(path, OWNER_AND_GROUP).catch(() => {}));
}

const isDead = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'ECONNREFUSED'));
  });
