/** The secrets of an instance, looked for in every line that it logs, whatever a test is about (SPEC 9). */

export interface KnownSecrets {
  add(secret: string): void;
  /** Looks for secrets in this line. */
  look(line: string): void;
  /** Throws when any line held one. */
  assertKept(): void;
}

/** Shorter ones stand in lines by chance. */
const SHORTEST = 12;

export function createKnownSecrets(secrets: Iterable<string | undefined>): KnownSecrets {
  const known = new Set<string>();
  const leaks: string[] = [];
  const add = (secret: string | undefined): void => {
    if (secret !== undefined && secret.length >= SHORTEST) known.add(secret);
  };
  for (const secret of secrets) add(secret);
  return {
    add,
    look(line) {
      for (const secret of known) if (line.includes(secret)) leaks.push(`${secret} stands in ${line}`);
    },
    assertKept() {
      if (leaks.length > 0) throw new Error(`secrets were logged:\n${leaks.join('\n')}`);
    },
  };
}
