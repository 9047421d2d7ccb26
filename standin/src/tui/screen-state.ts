import { type BoxDraft, emptyDraft } from './composer.js';

/** The content of the screen. */
export interface ScreenState {
  /** Nothing but a dialog is drawn yet. */
  starting: boolean;
  directory: string;
  model: string;
  /** The conversation, the oldest first. */
  entries: readonly Entry[];
  /** The index of the first entry of the running turn; the number of entries if none runs. */
  turnStart: number;
  draft: BoxDraft;
  /** Shown dim in an empty box. */
  placeholder: string | null;
  /** Prompts that wait for their turn. */
  queued: readonly string[];
  working: Working | null;
  dialog: StandinDialog | null;
  /** The slash commands that begin like the draft, the chosen one first; empty if no menu is open. */
  menu: readonly MenuItem[];
  /** Shown at the right, above the box. */
  hint: string | null;
  /** Replaces the usual footer. */
  notice: string | null;
  /** Shown at the right of the footer. */
  corner: string | null;
}

export type Entry =
  | { kind: 'prompt'; text: string }
  | { kind: 'answer'; text: string }
  | { kind: 'apiError'; text: string }
  | { kind: 'tool'; name: string; title: string; command: string; state: 'running' | 'done' | 'denied' }
  | { kind: 'finished'; verb: string; seconds: number; clock: string }
  | { kind: 'interrupted' }
  | { kind: 'note'; text: string };

export interface Working {
  verb: string;
  /** Counts the pictures of the spinner. */
  tick: number;
  seconds: number;
  tokens: number;
  /** The API refused the request, which is repeated. */
  retry: { failure: string; attempt: number; attempts: number } | null;
}

export interface MenuItem {
  command: string;
  description: string;
}

export type StandinDialog =
  | { kind: 'permission'; tool: string; command: string; title: string; selected: number }
  | { kind: 'trust'; selected: number }
  | { kind: 'rewind' };

/** Returns the possible answers, the preselected one first. */
export function choicesOf(dialog: StandinDialog, directory: string): readonly string[] {
  if (dialog.kind === 'trust') return ['No, exit', 'Yes, I trust this folder'];
  if (dialog.kind === 'rewind') return ['(current)'];
  return [
    'Yes',
    `Yes, and always allow access to ${directory} from this project`,
    'Yes, and switch to auto mode',
    'No',
  ];
}

export function startScreen(directory: string, model: string, entries: readonly Entry[]): ScreenState {
  return {
    starting: true,
    directory,
    model,
    entries,
    turnStart: entries.length,
    draft: emptyDraft,
    placeholder: null,
    queued: [],
    working: null,
    dialog: null,
    menu: [],
    hint: null,
    notice: null,
    corner: null,
  };
}
