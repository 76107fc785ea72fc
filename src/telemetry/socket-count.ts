/** Counts the bytes of WebSockets at each scrape, not only at their end: they may be open for days (SPEC 9). */

export interface CountedSocket {
  readonly bytesRead: number;
  readonly bytesWritten: number;
}

export interface SocketCount {
  /** Counts the socket from here on. The function ends that, and gives the bytes written in all. */
  begin(socket: CountedSocket): () => number;
  countAll(): void;
}

export function createSocketCount(onBytes: (read: number, written: number) => void): SocketCount {
  const open = new Set<() => void>();
  return {
    begin(socket) {
      const before = socket.bytesWritten;
      let { bytesRead, bytesWritten } = socket;
      const count = (): void => {
        onBytes(socket.bytesRead - bytesRead, socket.bytesWritten - bytesWritten);
        ({ bytesRead, bytesWritten } = socket);
      };
      open.add(count);
      return () => {
        count();
        open.delete(count);
        return bytesWritten - before;
      };
    },
    countAll() {
      for (const count of open) count();
    },
  };
}
