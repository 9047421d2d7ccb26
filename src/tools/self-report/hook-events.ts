/** Which hooks of a tool are asked for, and what their rows mean. */
export interface HookEvents {
  /** Called with each prompt that is submitted, before the tool takes it. */
  readonly prompt: string;
  /** Called when the tool is about to ask a person for a permission. */
  readonly permission: string;
  /** What a row of the latter asks for, in the tool's words; null when it asks for no permission. */
  waitingFor(row: Record<string, unknown>): string | null;
}
