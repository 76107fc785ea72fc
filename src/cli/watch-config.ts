/** Tells when to reload the configuration: at SIGHUP, and when the content of one of its files has changed (SPEC 1). */
import { watchFiles } from '../files/watch-files.ts';

export interface ConfigWatch {
  /** Calls it at each change from here on, and at once if there was one before. It gives the files to watch from then on. */
  onChange(reload: () => Promise<readonly string[]>): void;
  close(): void;
}

/** Watches the files. Call it before the start: what changes during it is not missed. */
export async function watchConfig(files: readonly string[]): Promise<ConfigWatch> {
  let reload: (() => Promise<readonly string[]>) | undefined;
  let hasChanged = false;
  const changed = async (): Promise<void> => {
    hasChanged = !reload;
    if (reload) await watching.watch(await reload());
  };
  const onEvent = (): void => void changed();
  const watching = watchFiles(onEvent);
  const onSignal = (): void => void watching.note().then(changed);
  process.on('SIGHUP', onSignal);
  await watching.watch(files);
  return {
    onChange(given) {
      reload = given;
      if (hasChanged) onEvent();
    },
    close() {
      process.off('SIGHUP', onSignal);
      watching.close();
    },
  };
}
