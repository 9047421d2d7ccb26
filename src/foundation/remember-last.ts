/** Wraps a function so that it repeats its last answer as long as the question stays the same. Errors are not remembered. */
export function rememberLast<Question, Answer>(
  answer: (question: Question) => Answer,
): (question: Question) => Answer {
  let last: { question: Question; answer: Answer } | null = null;
  return (question) => {
    if (last === null || last.question !== question) last = { question, answer: answer(question) };
    return last.answer;
  };
}
