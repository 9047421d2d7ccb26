import { type Json, list, obj, str } from './json.js';

/** The requests of a prompt to the fake server, in band, so that a test needs no side channel. */
export interface Directives {
  /** `[[delay=ms]]`: wait after the headers, before the first text. */
  readonly delayMs: number;
  /** `[[drip=ms]]`: wait between two pieces of text. */
  readonly dripMs: number;
  /** `[[words=N]]`: append N filler words. */
  readonly words: number;
  /** `[[usage=N]]`: report N input tokens. */
  readonly inputTokens: number | undefined;
  /** `[[status=529]]` always, `[[status=529x2]]` for the first two tries: answer with this error. */
  readonly failure: { readonly status: number; readonly tries: number } | undefined;
  /** `[[tool=Name {"json":1}]]`: call this tool first, then answer. */
  readonly tool: ToolCall | undefined;
  /** `[[die]]`: drop the connection in the middle of the answer. */
  readonly die: boolean;
}

export interface ToolCall {
  readonly name: string;
  readonly args: Json;
}

/** Short, because gemini stops a turn whose answer repeats itself ("Loop detected"). */
const LONGEST_ECHO = 400;

export function readDirectives(text: string): Directives {
  const failure = text.match(/\[\[status=(\d{3})(?:x(\d+))?\]\]/);
  return {
    delayMs: number(text, 'delay') ?? 0,
    dripMs: number(text, 'drip') ?? 0,
    words: number(text, 'words') ?? 0,
    inputTokens: number(text, 'usage'),
    failure: failure ? { status: Number(failure[1]), tries: Number(failure[2] ?? Infinity) } : undefined,
    tool: readTool(text),
    die: text.includes('[[die]]'),
  };
}

function number(text: string, name: string): number | undefined {
  const found = text.match(new RegExp(`\\[\\[${name}=(\\d{1,9})\\]\\]`));
  return found ? Number(found[1]) : undefined;
}

function readTool(text: string): ToolCall | undefined {
  const found = text.match(/\[\[tool=([\w.-]+) (\{[\s\S]*?\})\]\]/);
  if (!found) return undefined;
  return { name: str(found[1]), args: obj(JSON.parse(str(found[2]))) };
}

/** The answer to a prompt: it repeats the prompt, or both ends of a long one and its length. */
export function replyTo(text: string, serial: number, words: number): string {
  const plain = text.replace(/\[\[[\s\S]*?\]\]/g, '').trim();
  const filler = Array.from({ length: words }, (_, index) => ` w${index}`).join('');
  return `FAKEREPLY-${serial} <<${shortened(plain)}>>${filler}`;
}

function shortened(text: string): string {
  if (text.length <= LONGEST_ECHO) return text;
  const end = LONGEST_ECHO / 2;
  return `${text.slice(0, end)} ... ${text.slice(-end)} (${text.length} characters)`;
}

/** Pieces of text as a model would stream them. */
export function pieces(text: string): readonly string[] {
  return text.match(/\S+\s*/g) ?? [text];
}

/** The prompt itself, without the text that the CLIs wrap around it or send beside it. */
export function withoutWrapping(text: string): string {
  return text
    .replace(/<system-reminder>[\s\S]*?<\/system-reminder>/g, '')
    .replace(
      /<(environment_context|user_instructions|permissions instructions|session_context|skill)>[\s\S]*?<\/\1>/g,
      '',
    )
    .replace(/<pasted_content id="([0-9a-f]+)">\n([\s\S]*?)\n<\/pasted_content id="\1">/g, '$2')
    .trim();
}

/** The prompts of a person in these texts of a conversation; long ones cut, for the log. */
export function saidIn(texts: readonly string[]): readonly string[] {
  return texts.flatMap((text) => withoutWrapping(text).slice(0, 200) || []);
}

/** The last of the parts in which something is left without the wrapping. */
export function lastText(parts: readonly string[]): string {
  return parts.map(withoutWrapping).findLast((part) => part !== '') ?? '';
}

export function tokensOf(value: unknown): number {
  const length = typeof value === 'string' ? value.length : JSON.stringify(value ?? '').length;
  return Math.max(1, Math.ceil(length / 4));
}

/** The smallest instance of a JSON schema: what a side call (a title, a router) that wants structure gets. */
export function instanceOf(schema: Json): unknown {
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (schema.const !== undefined) return schema.const;
  const [choice] = list(schema.anyOf);
  if (choice) return instanceOf(choice);
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  switch (str(types[0]).toLowerCase()) {
    case 'array':
      return [];
    case 'string':
      return 'fake';
    case 'number':
    case 'integer':
      return 1;
    case 'boolean':
      return false;
    case 'null':
      return null;
    default:
      return instanceOfObject(obj(schema.properties));
  }
}

function instanceOfObject(properties: Json): Json {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, instanceOf(obj(schema))]),
  );
}
