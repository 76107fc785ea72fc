/** What is chosen on the page Security, as lines of the configuration file and as environment variables (SPEC 1, 12). Pure. */

export const FACTOR_CHOICES = ['off', 'optional', 'admins', 'everyone'] as const;

/** The names are those of the API. */
export const SECURITY_FIELDS = ['second_factor', 'timezone', 'public_url'] as const;
export type SecurityField = (typeof SECURITY_FIELDS)[number];

/** Texts as they are typed; empty: not set. */
export type SecurityChoice = Readonly<Record<SecurityField, string>>;

// biome-ignore format: a table
const keysOf = ({ second_factor, timezone, public_url }: SecurityChoice) => [
  ['server', 'public_url',    public_url.trim()],
  ['auth',   'second_factor', second_factor],
  ['auth',   'timezone',      timezone.trim()],
].filter((key): key is [string, string, string] => key[2] !== '');

/** A JSON string is one of YAML too, whatever it holds. */
export function fileLines(choice: SecurityChoice): string {
  const keys = keysOf(choice);
  const sections = [...new Set(keys.map(([section]) => section))];
  return sections
    .flatMap((name) => [
      `${name}:`,
      ...keys.filter(([section]) => section === name).map(([, key, value]) => `  ${key}: ${JSON.stringify(value)}`),
    ])
    .join('\n');
}

export const variableLines = (choice: SecurityChoice): string =>
  keysOf(choice)
    .map(([section, key, value]) => `${`POSTERN__${section}__${key}`.toUpperCase()}=${value}`)
    .join('\n');
