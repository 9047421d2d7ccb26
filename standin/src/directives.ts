/** The instructions in a prompt to the stand-in besides answering, written as `[[name]]` or `[[name=value]]`. */
export interface Directives {
  numbers: Readonly<Partial<Record<NumberDirective, number>>>;
  flags: ReadonlySet<FlagDirective>;
  tools: readonly ToolDirective[];
}

export interface ToolDirective {
  name: string;
  input: Record<string, unknown>;
}

export type NumberDirective = (typeof numberNames)[number];
export type FlagDirective = (typeof flagNames)[number];

const numberNames = [
  'slow',
  'drip',
  'words',
  'fail',
  'exit',
  'huge',
  'hugerow',
  'stderr',
  'grandchild',
] as const;
const flagNames = ['crash', 'ignore-signals', 'garbage', 'no-exit', 'no-result', 'silent'] as const;

export interface ReadPrompt {
  directives: Directives;
  /** The prompt without its directives. */
  text: string;
}

/** Separates a prompt from its directives. Anything in double brackets that is not a directive stays in the text. */
export function readDirectives(prompt: string): ReadPrompt {
  const numbers: Partial<Record<NumberDirective, number>> = {};
  const flags = new Set<FlagDirective>();
  const tools: ToolDirective[] = [];
  const withoutTools = prompt.replace(
    /\[\[tool=([\w.-]+)(?:\s+(\{[\s\S]*?\}))?\]\][ \t]?/g,
    (whole, name, json) => {
      const input = json === undefined ? {} : parsedObject(json);
      if (input === null) return whole;
      tools.push({ name, input });
      return '';
    },
  );
  const text = withoutTools.replace(
    /\[\[([a-z-]+)(?:=(\d{1,9}))?\]\][ \t]?/g,
    (whole, name: string, digits?: string) => {
      const number = numberNames.find((known) => known === name);
      const flag = flagNames.find((known) => known === name);
      if (number !== undefined && digits !== undefined) numbers[number] = Number(digits);
      else if (flag !== undefined && digits === undefined) flags.add(flag);
      else return whole;
      return '';
    },
  );
  return { directives: { numbers, flags, tools }, text: text.trim() };
}

function parsedObject(json: string): Record<string, unknown> | null {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}
