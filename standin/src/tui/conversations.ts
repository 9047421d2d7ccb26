import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Entry } from './screen-state.js';
import { projectFolder } from './session-files.js';

/** An earlier conversation. */
export interface PastConversation {
  sessionId: string;
  entries: readonly Entry[];
  lastUuid: string | null;
  prompts: number;
}

/** Returns the conversation with this id of a working directory; null if there is none. */
export function findConversation(home: string, cwd: string, sessionId: string): PastConversation | null {
  // The id becomes a file name, so it must look like one.
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(sessionId)) return null;
  try {
    const text = readFileSync(join(projectFolder(home, cwd), `${sessionId}.jsonl`), 'utf8');
    return { sessionId, ...readPast(text) };
  } catch {
    return null;
  }
}

/** Returns the latest conversation of a working directory. */
export function latestConversation(home: string, cwd: string): PastConversation | null {
  const folder = projectFolder(home, cwd);
  const [latest] = namesIn(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => ({ name, at: statSync(join(folder, name)).mtimeMs }))
    .sort((one, other) => other.at - one.at);
  return latest === undefined ? null : findConversation(home, cwd, latest.name.slice(0, -'.jsonl'.length));
}

function readPast(text: string): Omit<PastConversation, 'sessionId'> {
  let entries: Entry[] = [];
  let lastUuid: string | null = null;
  let prompts = 0;
  /** The parent of the prompt that has no row after it yet. */
  let open: string | null | undefined;
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const row = JSON.parse(line);
    const content = row.message?.content;
    if (row.type === 'user' && row.origin?.kind === 'human') {
      // The prompt before this one went back into the box: this one takes its place.
      if (row.parentUuid === open) entries = entries.slice(0, -1);
      else prompts += 1;
      entries = [...entries, { kind: 'prompt', text: content }];
      open = row.parentUuid;
    } else if (typeof row.uuid === 'string') open = undefined;
    if (row.type === 'assistant' && typeof content?.[0]?.text === 'string')
      entries = [...entries, { kind: row.isApiErrorMessage ? 'apiError' : 'answer', text: content[0].text }];
    if (typeof row.uuid === 'string') lastUuid = row.uuid;
  }
  return { entries, lastUuid, prompts };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
