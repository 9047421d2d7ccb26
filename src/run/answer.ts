/** What the agent answered, as far as it is kept. */
export interface Answer {
  text: string;
  truncated: boolean;
}

/** In UTF-16 units. */
const maxLength = 1024 * 1024;

export const answerOf = (text: string): Answer => ({
  text: text.slice(0, maxLength),
  truncated: text.length > maxLength,
});
