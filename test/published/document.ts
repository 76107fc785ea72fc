/** docs/generated/published-holes.md, from the replays: what was published, and how Postern answers. */
import { type FiledHole, FOLDERS, type Folder } from './all-holes.ts';
import { NOT_REPLAYED } from './not-replayed.ts';

const HEADINGS: Readonly<Record<Folder, string>> = {
  frigate: 'Frigate and its stream server',
  recorders: 'Other recorders',
  proxies: 'Proxies that log people in',
};

export const documentOf = (holes: readonly FiledHole[]): string =>
  [
    '# Published holes, replayed',
    '',
    `Each of these ${holes.length} holes has a test: a recorder that has the hole, the attack on it, which works there, and the same attack through`,
    'Postern. What reached the recorder is compared: nothing, or the request of the caller without its forged part. The tests are in',
    '`test/published`, a file each; this document is made from them by `npm run generate`.',
    ...FOLDERS.flatMap((folder) => section(folder, holes)),
    '',
    '## Known, and not replayed',
    '',
    '| number | product | why |',
    '|---|---|---|',
    ...NOT_REPLAYED.map(({ id, product, why }) => `| ${id} | ${product} | ${why} |`),
    '',
  ].join('\n');

const section = (folder: Folder, holes: readonly FiledHole[]): readonly string[] => [
  '',
  `## ${HEADINGS[folder]}`,
  ...holes.filter((each) => each.folder === folder).flatMap(entry),
];

const entry = ({ folder, file, hole }: FiledHole): readonly string[] => [
  '',
  `### ${hole.id}: ${hole.title}`,
  '',
  `${hole.product}. ${hole.story}`,
  '',
  `**Here:** ${hole.here}`,
  '',
  `Source: ${hole.source}. Test: \`test/published/${folder}/${file}.ts\`, ${hole.attacks.length} ${hole.attacks.length === 1 ? 'attack' : 'attacks'}.`,
];
