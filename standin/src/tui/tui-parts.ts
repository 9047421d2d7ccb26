import type { Hooks } from './hooks.js';
import type { ScreenState } from './screen-state.js';
import type { SessionFiles } from './session-files.js';
import type { Switches } from './switches.js';
import type { Time } from './time.js';
import type { Transcript } from './transcript.js';

/** What the program in a pane works with. */
export interface TuiParts {
  screen: ScreenState;
  files: SessionFiles;
  transcript: Transcript;
  hooks: Hooks;
  switches: Switches;
  time: Time;
  skipPermissions: boolean;
  /** Of marks around large pastes. */
  mark: string;
  newTranscript(sessionId: string): Transcript;
  draw(): void;
  title(working: boolean): void;
  ledger(entry: Record<string, unknown>): void;
  /** Ends the program. `crashed`: its files stay as they are. Resolves never. */
  leave(how: 'left' | 'told' | 'crashed', exitCode: number): Promise<never>;
  /** Dies by SIGKILL. Resolves never. */
  kill(): Promise<never>;
}
