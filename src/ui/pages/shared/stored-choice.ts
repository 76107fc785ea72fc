/** A choice that this browser remembers; where storage is forbidden it lasts as long as the page. */
export function storedChoice<Choice extends string>(key: string, choices: readonly Choice[], usual: Choice): Choice {
  try {
    const kept = localStorage.getItem(key);
    return choices.find((choice) => choice === kept) ?? usual;
  } catch {
    return usual;
  }
}

export function storeChoice(key: string, choice: string): void {
  try {
    localStorage.setItem(key, choice);
  } catch {
    // Not kept.
  }
}
