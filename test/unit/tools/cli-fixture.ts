import { readFileSync } from 'node:fs';
import { readLine } from '../../../src/tools/adapter/event-drafts.js';
import type { CanonicalDraft, ToolName } from '../../../src/tools/adapter/tool-adapter.js';
import { toolAdapter } from '../../../src/tools/tool-registry.js';

/** The output of a real CLI, recorded against a fake model server. */
export function cliOutput(tool: ToolName, file: string): string {
  return readFileSync(new URL(`../../fixtures/cli/${tool}/${file}`, import.meta.url), 'utf8');
}

export function draftsOf(tool: ToolName, file: string): CanonicalDraft[] {
  return cliOutput(tool, file)
    .split('\n')
    .flatMap((line) => readLine(line, toolAdapter(tool)));
}

/** The answer after these events, as the adapter's answer parts build it up. */
export function answerOf(tool: ToolName, drafts: readonly CanonicalDraft[]): string {
  let answer = '';
  for (const draft of drafts) {
    const part = toolAdapter(tool).answerPart(draft);
    if (part !== null) answer = part.mode === 'append' ? answer + part.text : part.text;
  }
  return answer;
}
