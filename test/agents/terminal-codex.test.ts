// Codex CLI in a terminal of its gateway.
import { describe } from 'vitest';
import { testPeople } from './harness/terminal-people.js';
import { terminalStage } from './harness/terminal-stage.js';
import { testTerminalTurns } from './harness/terminal-turns.js';

describe('codex in a terminal', () => {
  const current = terminalStage('codex');

  testTerminalTurns(current);
  testPeople(current);
});
