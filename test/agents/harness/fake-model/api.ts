import type { Json } from './json.js';
import type { ToolCall } from './prompt.js';

/** A request for an answer, the same for all three APIs. */
export interface ModelCall {
  readonly model: string;
  /** The fields of the body that set how much the model should think, unchanged; undefined when there are none. */
  readonly reasoning: Json | undefined;
  readonly stream: boolean;
  /** The last text of the user, or what a tool gave back. */
  readonly text: string;
  readonly afterTool: boolean;
  /** How many entries the conversation has that came with the request: more when it was resumed. */
  readonly conversationLength: number;
  /** The user's texts in this conversation so far, oldest first, this turn included. */
  readonly userTexts: readonly string[];
  /** The instructions that are not from the user: the system prompt, or its replacement. */
  readonly instructions: string;
  /** The tools on offer; one of a namespace as `<namespace>.<name>`. */
  readonly toolNames: readonly string[];
  /** Set when a structured answer is wanted: a call that the CLI makes for itself, not the user's turn. */
  readonly schema: Json | undefined;
  readonly inputTokens: number;
}

export interface Answer {
  readonly serial: number;
  readonly text: string;
  readonly tool: ToolCall | undefined;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** An answer as the pieces that go over the wire, in order. */
export interface AnswerStream {
  readonly opening: string;
  /** Sent now and then while a delay lasts. */
  readonly keepAlive: string;
  readonly deltas: readonly string[];
  readonly closing: string;
}

export interface ModelApi {
  readonly name: 'anthropic' | 'openai' | 'gemini';
  readCall(body: Json, url: URL): ModelCall;
  errorBody(status: number): Json;
  wholeAnswer(call: ModelCall, answer: Answer): Json;
  streamAnswer(call: ModelCall, answer: Answer): AnswerStream;
}
