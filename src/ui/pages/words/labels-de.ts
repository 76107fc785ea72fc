/** The labels that detectors know, in German. */

// biome-ignore format: a table
const LABELS: ReadonlyMap<string, string> = new Map([
  ['person', 'Person'],   ['face', 'Gesicht'],       ['car', 'Auto'],           ['truck', 'Lastwagen'],    ['bus', 'Bus'],
  ['motorcycle', 'Motorrad'], ['bicycle', 'Fahrrad'], ['boat', 'Boot'],         ['train', 'Zug'],          ['airplane', 'Flugzeug'],
  ['dog', 'Hund'],        ['cat', 'Katze'],          ['bird', 'Vogel'],         ['horse', 'Pferd'],        ['sheep', 'Schaf'],
  ['cow', 'Kuh'],         ['bear', 'Bär'],           ['deer', 'Reh'],           ['fox', 'Fuchs'],          ['rabbit', 'Kaninchen'],
  ['squirrel', 'Eichhörnchen'], ['raccoon', 'Waschbär'], ['goat', 'Ziege'],     ['package', 'Paket'],      ['license_plate', 'Kennzeichen'],
  ['umbrella', 'Regenschirm'], ['backpack', 'Rucksack'], ['suitcase', 'Koffer'], ['waste_bin', 'Mülltonne'], ['bbq_grill', 'Grill'],
  ['robot_lawnmower', 'Mähroboter'], ['speech', 'Sprache'], ['bark', 'Bellen'], ['scream', 'Schrei'],      ['yell', 'Rufen'],
  ['fire_alarm', 'Feueralarm'], ['crying', 'Weinen'], ['laughter', 'Lachen'],   ['glass', 'Glas'],         ['knock', 'Klopfen'],
]);

export const labelInGerman = (label: string): string | undefined => LABELS.get(label);
