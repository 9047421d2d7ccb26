// Claude Code in a terminal of its gateway.
import { describe } from 'vitest';
import { testPeople } from './harness/terminal-people.js';
import { terminalStage } from './harness/terminal-stage.js';
import { testTerminalTurns } from './harness/terminal-turns.js';

describe('claude in a terminal', () => {
  const current = terminalStage('claude');

  testTerminalTurns(current);
  testPeople(current);
});
