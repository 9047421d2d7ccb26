import {
  type AgentTerminal,
  type DialogOutcome,
  TerminalLost,
  type TerminalScreen,
} from '../../../src/agent/target/agent-terminal.js';
import type { KeySegment } from '../../../src/terminal/terminal-input.js';
import type { TerminalState } from '../../../src/terminal/tracker/terminal-state.js';
import { idleState } from './planted-state.js';

/** A terminal that notes what is typed into it, and is as the test says. */
export class FakeTerminal implements AgentTerminal {
  readonly names = {
    sessionId: 's',
    tool: 'toy',
    tmuxSession: 'HOUMAO-toy',
    attachCommand: 'tmux attach -t HOUMAO-toy',
  };
  readonly toolVersion = null;
  readonly watched = true;
  readonly typed: KeySegment[] = [];
  state: TerminalState = idleState();
  /** After so many segments it is lost. */
  lostAfter = Number.POSITIVE_INFINITY;
  /** Another fault while keys are typed. */
  fault: Error | null = null;

  set availability(availability: TerminalState['diagnostics']['availability']) {
    this.state = { ...this.state, diagnostics: { ...this.state.diagnostics, availability } };
  }
  async observe(): Promise<TerminalState> {
    return this.state;
  }
  async seenWithin(): Promise<TerminalState> {
    return this.state;
  }
  async screen(): Promise<TerminalScreen> {
    const cursor = { column: 0, row: 0 };
    return { columns: 80, rows: 24, text: '', cursor, scrolled: false, draft: 'no', version: '0'.repeat(16) };
  }
  history(): readonly [] {
    return [];
  }
  notePrompt(): TerminalState {
    return this.state;
  }
  async type(segments: readonly KeySegment[]): Promise<void> {
    this.typed.push(...segments.slice(0, this.lostAfter));
    if (this.fault) throw this.fault;
    if (segments.length > this.lostAfter) throw new TerminalLost('the session is gone');
  }
  async answer(): Promise<DialogOutcome> {
    return { outcome: 'another', dialog: this.state.dialog, moved: false };
  }
  async removeLate(): Promise<boolean> {
    return true;
  }
  start(): void {}
  async rest(): Promise<void> {}
  async stop(): Promise<void> {}
}
