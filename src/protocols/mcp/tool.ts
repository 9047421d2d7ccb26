import { z } from 'zod';
import type { AgentWork } from '../agent-work.js';
import type { ToolCall } from './wait-for-work.js';

/** A tool of the MCP server. `Input` is its arguments; `run` returns the text that the model reads. */
export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  /** Whether it only reads. */
  readonly reads: boolean;
  /** Submits the work of the tool and does not wait for it, for clients that know tasks; left out where there is nothing to wait for. */
  readonly submit?: (input: z.output<Input>, call: ToolCall) => Promise<AgentWork>;
  run(input: z.output<Input>, call: ToolCall): Promise<string>;
}

/** Declares a tool, with the type of its arguments. */
export const tool = <Input extends z.ZodObject>(made: Tool<Input>): Tool => made as unknown as Tool;

export const agent = z.string().min(1).describe('Name of the agent, as list_agents shows it.');
export const seconds = (usual: number) =>
  z
    .number()
    .min(0)
    .max(300)
    .default(usual)
    .describe(`Seconds to wait at most, 0 to 300. Default: ${usual}. Work goes on when the time is over.`);
export const key = z
  .string()
  .min(1)
  .max(255)
  .optional()
  .describe('Repeat a call whose outcome is unknown with the same key: it is done at most once.');
export const most = z
  .number()
  .int()
  .min(1)
  .max(1_048_576)
  .default(4000)
  .describe('The most characters of text in the result. Default: 4000; the result says when there is more.');
