import type { Rules } from '../../../scripts/gate/answered-statuses.mjs';

/** The facts that the comparison of answered statuses with the documents needs beside both. */
export const answerRules: Rules = {
  // Every handler begins with `agentOf` (src/server/handlers/refusals.ts), and has no agent without it.
  alike: ['NoAgent', 'AmbiguousAgent'],
  // A path or a framing that cannot be read, and a condition that holds (docs/decisions.md#ambiguous-framing).
  ofHttp: [304, 400],
  elsewhere: [
    ...['gateway', 'managed-agent'].map((surface) => ({
      promise: `${surface}: every operation with a body 408`,
      test: 'test/contract/transport-limits.test.ts',
      why: 'their limit is half a minute; it is asked of the same server with a shorter one, which is no surface',
    })),
    {
      promise: 'gateway: sendKeys 200',
      test: 'test/e2e/terminal/terminal.test.ts',
      why: 'it needs an agent in a terminal, whose gateway no contract test starts by itself',
    },
    {
      promise: 'gateway: getTuiScreen 200',
      test: 'test/contract/managed-agent/forwarded-terminal.test.ts',
      why: 'it needs an agent in a terminal, whose gateway is asked there through its server',
    },
    ...['getDialog 200', 'answerDialog 200', 'answerDialog 409'].map((answer) => ({
      promise: `gateway: ${answer}`,
      test: 'test/e2e/cli/answer.test.ts',
      why: 'it needs an agent in a terminal, whose gateway no contract test starts by itself',
    })),
    {
      promise: 'managed-agent: shutdownServer 200',
      test: 'test/e2e/server/process.test.ts',
      why: 'it ends the program; contract tests open the server in their own process',
    },
  ],
};
