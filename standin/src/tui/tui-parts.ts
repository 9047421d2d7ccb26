import type { Hooks } from './hooks.js';
import type { ScreenState } from './screen-state.js';
import type { SessionFiles } from './session-files.js';
import type { Switches } from './switches.js';
import type { Time } from './time.js';
import type { Transcript } from './transcript.js';

/** The parts of the program in a pane. */
export interface TuiParts {
  screen: ScreenState;
  files: SessionFiles;
  transcript: Transcript;
  hooks: Hooks;
  switches: Switches;
  time: Time;
  skipPermissions: boolean;
  /** The digits in the marks around large pastes. */
  mark: string;
  newTranscript(sessionId: string): Transcript;
  draw(): void;
  title(working: boolean): void;
  ledger(entry: Record<string, unknown>): void;
  /** Ends the program. `crashed`: its files stay as they are. Never resolves. */
  leave(how: 'left' | 'asked' | 'crashed', exitCode: number): Promise<never>;
  /** Ends the program by SIGKILL. Never resolves. */
  kill(): Promise<never>;
}
