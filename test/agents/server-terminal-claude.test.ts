import { testServerTerminal } from './harness/server-terminal-turns.js';

testServerTerminal('claude');
