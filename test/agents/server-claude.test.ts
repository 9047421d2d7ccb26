import { testServerTurns } from './harness/server-turns.js';

testServerTurns('claude');
