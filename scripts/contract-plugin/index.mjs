// The project's plugin for Redocly CLI: what it does to a contract before it is checked and bundled, and what it checks.
import { ErrorCodes, ErrorSentences } from './error-codes.mjs';
import { Examples } from './examples.mjs';
import { Formats } from './formats.mjs';
import { RetryPolicy } from './retry-policy.mjs';
import { SharedResponses } from './shared-responses.mjs';

export default () => ({
  id: 'contract',
  preprocessors: {
    oas3: {
      'shared-responses': SharedResponses,
      examples: Examples,
      formats: Formats,
    },
  },
  decorators: { oas3: { 'error-codes': ErrorCodes } },
  rules: { oas3: { 'error-sentences': ErrorSentences, 'retry-policy': RetryPolicy } },
});
