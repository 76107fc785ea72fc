/** Whether a server that identities depend on answered when it was last asked: told once at each change, and in `/readyz`. */

export type Answer = { readonly kind: 'up' } | { readonly kind: 'down'; readonly why: string };

export interface AnswerWatch {
  onAnswer(answer: Answer): void;
  /** Why the last answer was none; undefined before the first. */
  fault(): string | undefined;
}

/** `report` is called for the first answer and for each change; `wasDown` tells a return from a beginning. */
export function watchAnswers(report: (answer: Answer, wasDown: boolean) => void): AnswerWatch {
  let last: Answer | undefined;
  return {
    onAnswer(answer) {
      const before = last?.kind;
      last = answer;
      if (answer.kind !== before) report(answer, before === 'down');
    },
    fault: () => (last?.kind === 'down' ? last.why : undefined),
  };
}
