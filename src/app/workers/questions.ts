/** Questions over a channel of messages: each has a number, and its answer comes back under it. */

export type Asker<Questions> = <Kind extends keyof Questions & string>(
  question: { readonly kind: Kind } & AskOf<Questions[Kind]>,
) => Promise<AnswerOf<Questions[Kind]>>;
type AskOf<Question> = Question extends { ask: infer Ask } ? Ask : never;
type AnswerOf<Question> = Question extends { answer: infer Answer } ? Answer : never;

/** For each kind of question what answers it. */
export type Answerers<Questions> = {
  readonly [Kind in keyof Questions]: (
    question: AskOf<Questions[Kind]>,
  ) => AnswerOf<Questions[Kind]> | Promise<AnswerOf<Questions[Kind]>>;
};

export type Reply =
  | { readonly kind: 'answered'; readonly id: number; readonly answer: unknown }
  | { readonly kind: 'failed'; readonly id: number; readonly message: string };

export interface OpenQuestions<Questions> {
  readonly ask: Asker<Questions>;
  settle(reply: Reply): void;
  /** Rejects what is asked, now and later: the other side has ended. */
  end(why: Error): void;
}

export function openQuestions<Questions>(
  send: (asked: { readonly kind: 'asked'; readonly id: number; readonly question: never }) => void,
): OpenQuestions<Questions> {
  const waiting = new Map<number, PromiseWithResolvers<never>>();
  let lastId = 0;
  let ended: Error | undefined;
  return {
    ask(question) {
      if (ended) return Promise.reject(ended);
      lastId += 1;
      const asked = Promise.withResolvers<never>();
      waiting.set(lastId, asked);
      send({ kind: 'asked', id: lastId, question: question as never });
      return asked.promise;
    },
    settle(reply) {
      const asked = waiting.get(reply.id);
      waiting.delete(reply.id);
      if (reply.kind === 'answered') asked?.resolve(reply.answer as never);
      else asked?.reject(new Error(reply.message));
    },
    end(why) {
      ended = why;
      for (const { reject } of waiting.values()) reject(why);
      waiting.clear();
    },
  };
}

/** The answer to one question, as a message. */
export async function replyTo<Questions>(
  id: number,
  question: { readonly kind: keyof Questions },
  answerers: Answerers<Questions>,
): Promise<Reply> {
  try {
    return { kind: 'answered', id, answer: await answerers[question.kind](question as never) };
  } catch (fault) {
    return { kind: 'failed', id, message: fault instanceof Error ? fault.message : String(fault) };
  }
}
