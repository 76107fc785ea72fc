/** Many questions to one NVR, a few at a time, so that one client's request does not occupy it. */

const AT_ONCE = 4;

/** The answers in the order of the questions. Rejects with the first failure, and asks no more then. */
export async function askInTurns<Question, Answer>(
  questions: readonly Question[],
  ask: (question: Question) => Promise<Answer>,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let at = 0; at < questions.length; at += AT_ONCE) {
    answers.push(...(await Promise.all(questions.slice(at, at + AT_ONCE).map(ask))));
  }
  return answers;
}
