/** Many questions to one NVR, a few at a time, so that one client's request does not occupy it. */

const AT_ONCE = 4;

/** The answers in the order of the questions. Rejects with the first failure, and asks no more then. */
export async function askInTurns<Question, Result>(
  questions: readonly Question[],
  ask: (question: Question) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < questions.length; at += AT_ONCE) {
    results.push(...(await Promise.all(questions.slice(at, at + AT_ONCE).map(ask))));
  }
  return results;
}
